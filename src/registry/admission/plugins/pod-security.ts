/**
 * The admission plugin PodSecurity: the labels of a namespace select the Pod Security Standards that its Pods must meet, and those
 * whose violations are warned about or recorded in the audit log. Follows k8s.io/pod-security-admission/admission.
 */
import type { Pod, PodTemplate, PodTemplateSpec } from '../../../catalog/generated/types/core.v1.ts'
import { namespaceLookup } from '../../../clusters/lookups.ts'
import type { PodsEvaluation, Policy } from '../../../clusters/pod-security.ts'
import type { PodSecurityConfiguration } from '../../../config/admission/pod-security.ts'
import { forbidden, internalError, invalid } from '../../../meta/errors.ts'
import { aggregate } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { existingPods } from '../../facts/existing-pods.ts'
import type { AdmissionAttributes, AdmissionHandler, AdmissionPlugin, ValidatingContext } from '../plugin.ts'
import { PodSecurityCounter } from '../pod-security/counter.ts'
import { evaluatePolicy, type PodOrTemplate } from '../pod-security/evaluation.ts'
import { existingPodsWarnings } from '../pod-security/existing-pods.ts'
import {
  concernsExistingPods,
  exemptNamespaceWarning,
  isFullyPrivileged,
  labelPrefix,
  type NamespacePolicy,
  policyOf,
} from '../pod-security/policy.ts'
import { isSignificantUpdate } from '../pod-security/significant-update.ts'

type Validate = NonNullable<AdmissionHandler['validate']>

/** An object with the template of Pods, by resource. */
interface WithTemplate extends KubernetesObject {
  readonly spec: {
    readonly template?: PodTemplateSpec
    readonly jobTemplate?: { readonly spec: { readonly template: PodTemplateSpec } }
  }
}

const templateOfSpec = (object: KubernetesObject): PodTemplateSpec | undefined => (object as WithTemplate).spec.template

/** Returns the template of the Pods of an object, by resource. */
const templateOf: Readonly<Record<string, (object: KubernetesObject) => PodTemplateSpec | undefined>> = {
  replicationcontrollers: templateOfSpec,
  podtemplates: (object) => (object as PodTemplate).template,
  'replicasets.apps': templateOfSpec,
  'deployments.apps': templateOfSpec,
  'statefulsets.apps': templateOfSpec,
  'daemonsets.apps': templateOfSpec,
  'jobs.batch': templateOfSpec,
  'cronjobs.batch': (object) => (object as WithTemplate).spec.jobTemplate?.spec.template,
}

/** One request that is validated. */
interface Request {
  readonly attributes: AdmissionAttributes
  readonly context: ValidatingContext
  readonly configuration: PodSecurityConfiguration
  readonly counter: PodSecurityCounter
}

const annotate = ({ context }: Request, key: string, value: string): void => context.annotate(`${labelPrefix}${key}`, value)

/** Returns whether the request is exempt by its namespace or user, and records why. */
function isExempt(request: Request): boolean {
  const { attributes, configuration, counter } = request
  const { namespaces, usernames } = configuration.exemptions
  const isOfNamespace = namespaces.includes(attributes.namespace)
  if (!isOfNamespace && !usernames.includes(attributes.user.name)) return false
  counter.exempted()
  annotate(request, 'exempt', isOfNamespace ? 'namespace' : 'user')
  return true
}

/** Returns the policy of the request's namespace; undefined if the namespace does not exist. */
function policyOfNamespace({ attributes, context, configuration }: Request): NamespacePolicy | undefined {
  const facts = context.lookups.get(namespaceLookup(attributes.namespace))
  if (facts === null) return undefined
  return policyOf(facts.labels, configuration.defaults)
}

/** Evaluates a Pod or a template. @throws ApiError 403 if it violates an enforced standard */
function evaluate(request: Request, policy: NamespacePolicy, object: PodOrTemplate, enforces: boolean): void {
  const { attributes, context, configuration, counter } = request
  if (configuration.exemptions.runtimeClasses.includes(object.spec.runtimeClassName ?? '')) {
    counter.exempted()
    annotate(request, 'exempt', 'runtimeClass')
    return
  }
  const { annotations, warnings, refusal } = evaluatePolicy(policy, object, enforces, counter)
  for (const [key, value] of Object.entries(annotations)) annotate(request, key, value)
  for (const warning of warnings) context.warn(warning)
  if (refusal !== undefined) throw forbidden(attributes.kind, attributes.name, refusal)
}

/** Validates a new Pod, or an update of `old`. */
function validatePod(request: Request, { metadata, spec }: Pod, old: Pod | undefined): void {
  if (isExempt(request)) return
  const { namespace } = request.attributes
  const policy = policyOfNamespace(request)
  if (policy === undefined) {
    const error = internalError(`failed to lookup namespace "${namespace}"`)
    request.counter.failed(true)
    annotate(request, 'error', `${error.message}: namespaces "${namespace}" not found`)
    throw error
  }
  if (policy.errors.length === 0 && isFullyPrivileged(policy.policy)) {
    request.counter.evaluated('allow', policy.policy.enforce, 'enforce')
    annotate(request, 'enforce-policy', 'privileged:latest')
    return
  }
  if (old === undefined || isSignificantUpdate(spec, old.spec)) evaluate(request, policy, { metadata, spec }, true)
}

/** Validates the template of Pods: violations are warned about and recorded, and reject nothing. */
function validateTemplate(request: Request, object: KubernetesObject): void {
  if (isExempt(request)) return
  const { kind, namespace } = request.attributes
  const policy = policyOfNamespace(request)
  if (policy === undefined) {
    request.counter.failed(true)
    annotate(request, 'error', `failed to lookup namespace "${namespace}": namespaces "${namespace}" not found`)
    return
  }
  const { audit, warn } = policy.policy
  if (policy.errors.length === 0 && audit.level === 'privileged' && warn.level === 'privileged') return
  const template = templateOf[kind.storage.prefix]?.(object)
  if (template !== undefined)
    evaluate(request, policy, { metadata: template.metadata ?? {}, spec: template.spec ?? { containers: [] } }, false)
}

/** Warns about the labels of a namespace that have no effect because it is exempt. Returns whether it is exempt. */
function warnIfExempt({ attributes, context, configuration }: Request, { metadata }: KubernetesObject, policy: Policy): boolean {
  const { defaults, exemptions } = configuration
  if (!exemptions.namespaces.includes(attributes.name)) return false
  const warning = exemptNamespaceWarning(attributes.name, metadata.labels ?? {}, policy, defaults)
  if (warning !== undefined) context.warn(warning)
  return true
}

/** Validates the labels of a new namespace. @throws ApiError 422 for invalid labels */
function validateNewNamespace(request: Request, object: KubernetesObject): void {
  const { attributes, configuration } = request
  const { policy, errors } = policyOf(object.metadata.labels, configuration.defaults)
  if (errors.length > 0) throw invalid(attributes.kind, attributes.name, errors)
  warnIfExempt(request, object, policy)
}

/**
 * Validates the labels of a namespace if they change, and warns about its Pods if they violate the new standard.
 * @throws ApiError 422 for invalid labels, MissingLookups
 */
function validateNamespaceUpdate(request: Request, object: KubernetesObject, old: KubernetesObject): void {
  const { attributes, context, configuration } = request
  const { kind, name } = attributes
  const { defaults, exemptions } = configuration
  const { policy, errors } = policyOf(object.metadata.labels, defaults)
  const { policy: oldPolicy, errors: oldErrors } = policyOf(old.metadata.labels, defaults)
  if (errors.length > 0 && (oldErrors.length === 0 || aggregate(errors) !== aggregate(oldErrors))) {
    throw invalid(kind, name, errors)
  }
  if (!concernsExistingPods(policy, oldPolicy) || warnIfExempt(request, object, policy)) return
  const evaluation: PodsEvaluation = { standard: policy.enforce, exemptRuntimeClasses: exemptions.runtimeClasses }
  const pods = context.lookups.get(existingPods.lookup({ namespace: name, ...evaluation }))
  const warnings =
    pods === null
      ? ['failed to list pods while checking new PodSecurity enforce level']
      : existingPodsWarnings(name, policy.enforce, pods)
  for (const warning of warnings) context.warn(warning)
}

/** Expects the namespace of the request. A create always expects it. */
const lookups: NonNullable<AdmissionHandler['lookups']> = ({ namespace }) => [namespaceLookup(namespace)]

const templateResources = Object.keys(templateOf)

const requestOf = (attributes: AdmissionAttributes, context: ValidatingContext): Request => ({
  attributes,
  context,
  configuration: context.settings.podSecurity,
  counter: new PodSecurityCounter(attributes, context),
})

const ofPods: Validate = (attributes, object, old, context) =>
  validatePod(requestOf(attributes, context), object as Pod, old as Pod | undefined)

const ofTemplates: Validate = (attributes, object, _old, context) => validateTemplate(requestOf(attributes, context), object)

const ofNamespaces: Validate = (attributes, object, old, context) => {
  const request = requestOf(attributes, context)
  if (old === undefined) validateNewNamespace(request, object)
  else validateNamespaceUpdate(request, object, old)
}

const podResources = ['pods', 'pods/ephemeralcontainers', 'pods/resize']

/**
 * Validates creates and updates of Pods, of objects with the template of Pods, and of namespaces. Follows the plugin of
 * k8s.io/kubernetes.
 */
export const podSecurity: AdmissionPlugin = {
  name: 'PodSecurity',
  handlers: [
    { operations: ['CREATE'], resources: ['pods'], validate: ofPods },
    { operations: ['UPDATE'], resources: podResources, lookups, validate: ofPods },
    { operations: ['CREATE'], resources: templateResources, validate: ofTemplates },
    { operations: ['UPDATE'], resources: templateResources, lookups, validate: ofTemplates },
    { operations: ['CREATE', 'UPDATE'], resources: ['namespaces'], validate: ofNamespaces },
  ],
}
