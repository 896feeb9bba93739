/** The admission plugins of kube-apiserver 1.36. Follows k8s.io/kubernetes/pkg/kubeapiserver/options/plugins.go. */
import { goQuote } from '../../go/text.ts'
import { aggregateTexts } from '../../meta/field-error.ts'

/** All plugins in the order in which they run (AllOrderedPlugins), and whether they are enabled by default. */
const plugins = {
  AlwaysAdmit: false,
  NamespaceAutoProvision: false,
  NamespaceLifecycle: true,
  NamespaceExists: false,
  LimitPodHardAntiAffinityTopology: false,
  LimitRanger: true,
  ServiceAccount: true,
  NodeRestriction: false,
  TaintNodesByCondition: true,
  AlwaysPullImages: false,
  ImagePolicyWebhook: false,
  PodSecurity: true,
  PodNodeSelector: false,
  Priority: true,
  DefaultTolerationSeconds: true,
  PodTolerationRestriction: false,
  EventRateLimit: false,
  ExtendedResourceToleration: false,
  DefaultStorageClass: true,
  StorageObjectInUseProtection: true,
  PodGroupProtection: true,
  OwnerReferencesPermissionEnforcement: false,
  PersistentVolumeClaimResize: true,
  RuntimeClass: true,
  CertificateApproval: true,
  CertificateSigning: true,
  ClusterTrustBundleAttest: true,
  CertificateSubjectRestriction: true,
  DefaultIngressClass: true,
  DenyServiceExternalIPs: false,
  PodTopologyLabels: true,
  PodGroupWorkloadExists: true,
  NodeDeclaredFeatureValidator: true,
  JobValidation: true,
  PodResizeValidator: true,
  MutatingAdmissionPolicy: true,
  MutatingAdmissionWebhook: true,
  ValidatingAdmissionPolicy: true,
  ValidatingAdmissionWebhook: true,
  ResourceQuota: true,
  AlwaysDeny: false,
} as const satisfies Readonly<Record<string, boolean>>

/** The name of an admission plugin. */
export type AdmissionPluginName = keyof typeof plugins

const isName = (name: string): name is AdmissionPluginName => Object.hasOwn(plugins, name)

/** Splits a comma-separated list; '' is the empty list. */
const namesIn = (list: string): readonly string[] => (list === '' ? [] : list.split(','))

/** Returns the problems of both lists, in the words of AdmissionOptions.Validate. */
function problemsOf(enable: readonly string[], disable: readonly string[]): string[] {
  const unknown = (flag: string, names: readonly string[]): string[] =>
    names.filter((name) => !isName(name)).map((name) => `${flag} plugin ${goQuote(name)} is unknown`)
  const both = [...new Set(enable)].filter((name) => disable.includes(name)).sort()
  return [
    ...unknown('enable-admission-plugins', enable),
    ...unknown('disable-admission-plugins', disable),
    ...(both.length === 0 ? [] : [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]),
  ]
}

/**
 * Returns the enabled plugins in the order in which they run.
 * @param enable names separated by commas, in addition to the defaults
 * @param disable names separated by commas
 * @throws Error in kube-apiserver's words for an unknown name, and for a name in both lists
 */
export function enabledAdmissionPlugins(enable: string, disable: string): readonly AdmissionPluginName[] {
  const [enabled, disabled] = [namesIn(enable), namesIn(disable)]
  const problems = problemsOf(enabled, disabled)
  if (problems.length > 0) throw new Error(aggregateTexts(problems))
  const isEnabled = (name: AdmissionPluginName): boolean => enabled.includes(name) || (plugins[name] && !disabled.includes(name))
  return Object.keys(plugins).filter(isName).filter(isEnabled)
}
