/** The chain of admission plugins in kube-apiserver's order. Follows AllOrderedPlugins of k8s.io/kubernetes/pkg/kubeapiserver. */
import type { AdmissionConfiguration } from '../../clusters/admission-configuration.ts'
import type { AdmissionSettings } from '../../config/admission/settings.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import type { WorkerLookup } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { optionalPlugins } from './optional-plugins.ts'
import type {
  AdmissionAttributes,
  AdmissionFindings,
  AdmissionHandler,
  AdmissionOperation,
  AdmissionPlugin,
  MutatingContext,
  ValidatingContext,
} from './plugin.ts'
import { certificateApproval } from './plugins/certificate-approval.ts'
import { certificateSigning } from './plugins/certificate-signing.ts'
import { certificateSubjectRestriction } from './plugins/certificate-subject-restriction.ts'
import { clusterFork } from './plugins/cluster-fork.ts'
import { clusterTrustBundleAttest } from './plugins/cluster-trust-bundle-attest.ts'
import { defaultIngressClass } from './plugins/default-ingress-class.ts'
import { defaultStorageClass } from './plugins/default-storage-class.ts'
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.ts'
import { forbidCreate } from './plugins/forbid-create.ts'
import { limitRanger } from './plugins/limit-ranger.ts'
import { mutatingAdmissionPolicy } from './plugins/mutating-admission-policy.ts'
import { mutatingAdmissionWebhook } from './plugins/mutating-admission-webhook.ts'
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts'
import { nodeDeclaredFeatureValidator } from './plugins/node-declared-feature-validator.ts'
import { persistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.ts'
import { podGroupProtection } from './plugins/pod-group-protection.ts'
import { podResizeValidator } from './plugins/pod-resize-validator.ts'
import { podSecurity } from './plugins/pod-security.ts'
import { podTopologyLabels } from './plugins/pod-topology-labels.ts'
import { priority } from './plugins/priority.ts'
import { resourceQuota } from './plugins/resource-quota.ts'
import { runtimeClass } from './plugins/runtime-class.ts'
import { serviceAccount } from './plugins/service-account.ts'
import { storageObjectInUseProtection } from './plugins/storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './plugins/taint-nodes-by-condition.ts'
import { validatingAdmissionPolicy } from './plugins/validating-admission-policy.ts'
import { validatingAdmissionWebhook } from './plugins/validating-admission-webhook.ts'

/** The plugins; the chain runs them in the order of their names in the settings. */
const plugins: readonly AdmissionPlugin[] = [
  forbidCreate,
  clusterFork,
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  taintNodesByCondition,
  podSecurity,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  podGroupProtection,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  clusterTrustBundleAttest,
  certificateSubjectRestriction,
  defaultIngressClass,
  podTopologyLabels,
  mutatingAdmissionPolicy,
  mutatingAdmissionWebhook,
  validatingAdmissionPolicy,
  validatingAdmissionWebhook,
  ...optionalPlugins,
  nodeDeclaredFeatureValidator,
  podResizeValidator,
  resourceQuota,
]

/** A plugin's part of a phase. */
interface Step<Run> {
  /** The name of the plugin. */
  readonly plugin: string
  readonly run: Run
}

type Admit = Step<NonNullable<AdmissionHandler['admit']>>
type Validate = Step<NonNullable<AdmissionHandler['validate']>>

/** The handlers of one operation on one resource, in the chain's order. */
interface Handlers {
  readonly expecting: readonly NonNullable<AdmissionHandler['lookups']>[]
  readonly mutating: readonly Admit[]
  readonly validating: readonly Validate[]
}

type Request = Pick<AdmissionAttributes, 'operation' | 'kind' | 'subresource'>

/** An ordered chain of admission plugins. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[]
  readonly #enabled: readonly string[]
  readonly #byRequest = new Map<string, Handlers>()

  /** @param enabled the names of the enabled plugins in their order */
  constructor(plugins: readonly AdmissionPlugin[], enabled: readonly string[] = plugins.map(({ name }) => name)) {
    this.#plugins = plugins
    this.#enabled = enabled
  }

  /**
   * Returns the lookups that a request probably needs.
   * @param object the request body before decoding: any JSON
   * @param configuration absent if no policy or webhook may match the request
   */
  expectedLookups(
    attributes: AdmissionAttributes,
    object: JsonValue,
    configuration?: AdmissionConfiguration,
  ): readonly WorkerLookup<unknown>[] {
    const { expecting } = this.#handlersOf(attributes)
    const expected = expecting.flatMap((lookups) => lookups(attributes, object, configuration))
    // Several plugins may need the same fact.
    return expecting.length < 2
      ? expected
      : expected.filter(({ key }, index) => expected.findIndex((e) => e.key === key) === index)
  }

  /**
   * Runs the mutating phase, which may change the object; a second time if a webhook or a policy has changed it.
   * @param old absent for a CREATE
   * @throws ApiError if a plugin rejects the request, MissingLookups
   */
  admit(
    attributes: AdmissionAttributes,
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    context: MutatingContext,
  ): void {
    const { mutating, expecting } = this.#handlersOf(attributes)
    // Missing lookups of several handlers are collected here, to save round trips, unless the Worker has sent the expected results.
    if (expecting.length > 1 && context.lookups.isEmpty) {
      context.lookups.require(this.expectedLookups(attributes, object as unknown as JsonValue, context.configuration))
    }
    const admit = ({ run }: Admit): void => run(attributes, object, old, context)
    measured('admit', attributes, context, mutating, admit)
    if (context.reinvocation.begin()) measured('admit', attributes, context, mutating, admit)
  }

  /**
   * Runs the validating phase, which does not change the object.
   * @param old absent for a CREATE
   * @throws ApiError if a plugin rejects the request, MissingLookups
   */
  validate(
    attributes: AdmissionAttributes,
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    context: ValidatingContext,
  ): void {
    const { validating } = this.#handlersOf(attributes)
    measured('validate', attributes, context, validating, ({ run }) => run(attributes, object, old, context))
  }

  #handlersOf({ operation, kind, subresource }: Request): Handlers {
    // No plugin names a custom resource, so all of them share one entry: they come and go.
    const resource = kind.definition === undefined ? kind.storage.prefix : 'custom'
    const key = `${operation} ${resource}/${subresource}`
    let handlers = this.#byRequest.get(key)
    if (handlers === undefined) {
      handlers = this.#select({ operation, kind, subresource })
      this.#byRequest.set(key, handlers)
    }
    return handlers
  }

  #select({ operation, kind, subresource }: Request): Handlers {
    const { prefix } = kind.storage
    const resource = subresource === '' ? prefix : `${prefix}/${subresource}`
    const handles = (resources: AdmissionHandler['resources']): boolean => {
      if (resources === 'any' || resources === 'custom') return resources === 'any' || kind.definition !== undefined
      return kind.definition === undefined && resources.includes(resource)
    }
    const enabled = this.#enabled.flatMap((name) => this.#plugins.filter((plugin) => plugin.name === name))
    const handlers = enabled.flatMap(({ name, handlers }) => handlers.map((handler) => ({ plugin: name, ...handler })))
    const selected = handlers.filter(({ operations, resources }) => operations.includes(operation) && handles(resources))
    return {
      expecting: selected.flatMap(({ lookups }) => lookups ?? []),
      mutating: selected.flatMap(({ plugin, admit }) => (admit === undefined ? [] : { plugin, run: admit })),
      validating: selected.flatMap(({ plugin, validate }) => (validate === undefined ? [] : { plugin, run: validate })),
    }
  }
}

/** Runs a phase and measures its rejection. The Worker measures phases that allow the request. */
function measured<S extends Step<unknown>>(
  type: 'admit' | 'validate',
  { operation }: AdmissionAttributes,
  findings: AdmissionFindings,
  steps: readonly S[],
  run: (step: S) => void,
): void {
  let last: S | undefined
  try {
    for (const step of steps) {
      last = step
      run(step)
    }
  } catch (error) {
    if (error instanceof ApiError) {
      findings.measure('apiserver_admission_step_admission_duration_seconds', [type, operation, 'true'], 0)
      const labels = [last?.plugin ?? '', type, operation, 'true']
      findings.measure('apiserver_admission_controller_admission_duration_seconds', labels, 0)
    }
    throw error
  }
}

/** The chains of settings: a chain keeps its handlers by operation and resource. */
const chains = new WeakMap<AdmissionSettings, AdmissionChain>()

/**
 * Returns the chain of the enabled plugins. The admission of custom resources, which is no plugin of its own in kube-apiserver, and that
 * of clusters come first.
 */
export function admissionChain(settings: AdmissionSettings): AdmissionChain {
  const former = chains.get(settings)
  if (former !== undefined) return former
  const chain = new AdmissionChain(plugins, [forbidCreate.name, clusterFork.name, ...settings.plugins])
  chains.set(settings, chain)
  return chain
}

/** A plugin's part in the phases of an operation. */
export interface PluginPhases {
  readonly name: string
  readonly phases: readonly ('admit' | 'validate')[]
}

/** Returns the enabled plugins that handle an operation on any resource. */
export function pluginsOf(settings: AdmissionSettings, operation: AdmissionOperation): readonly PluginPhases[] {
  return settings.plugins.flatMap((name) => {
    const handlers = plugins.filter((plugin) => plugin.name === name).flatMap((plugin) => plugin.handlers)
    const handling = handlers.filter(({ operations }) => operations.includes(operation))
    const phases = (['admit', 'validate'] as const).filter((phase) => handling.some((handler) => handler[phase] !== undefined))
    return phases.length === 0 ? [] : { name, phases }
  })
}
