/** The objects that configure admission: webhook configurations, policies and their bindings. */
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../catalog/generated/types/admissionregistration.v1.ts'
import { LruCache } from '../meta/lru-cache.ts'
import { memoryBudget } from '../meta/memory-budget.ts'

/** All objects that configure admission, each list in the order of names. */
export interface AdmissionObjects {
  readonly mutatingWebhooks: readonly MutatingWebhookConfiguration[]
  readonly validatingWebhooks: readonly ValidatingWebhookConfiguration[]
  readonly mutatingPolicies: readonly MutatingAdmissionPolicy[]
  readonly mutatingBindings: readonly MutatingAdmissionPolicyBinding[]
  readonly validatingPolicies: readonly ValidatingAdmissionPolicy[]
  readonly validatingBindings: readonly ValidatingAdmissionPolicyBinding[]
}

/** The admission configuration of a cluster at one moment. Equal tags have the same configuration object within a process. */
export interface AdmissionConfiguration extends AdmissionObjects {
  /** Changes with every change of an object; '' if there are no objects. */
  readonly tag: string
  /** The release that the cluster emulates, and what its settings switch, as one text; absent for the newest release. */
  readonly emulation?: string
}

/** The configuration of a cluster without any such object. */
export const noAdmissionObjects: AdmissionConfiguration = {
  tag: '',
  mutatingWebhooks: [],
  validatingWebhooks: [],
  mutatingPolicies: [],
  mutatingBindings: [],
  validatingPolicies: [],
  validatingBindings: [],
}

/** The most bytes of configurations that a process shares. */
const mostBytes = 16 * 1024 * 1024

interface Shared {
  readonly configuration: AdmissionConfiguration
  readonly bytes: number
}

/** A parsed configuration takes about twice as much memory as its JSON. */
const sharedOf = (configuration: AdmissionConfiguration): Shared => ({
  configuration,
  bytes: 2 * JSON.stringify(configuration).length,
})

const configurations = new LruCache<string, Shared>(mostBytes, (_tag, { bytes }) => bytes, memoryBudget)

/**
 * Returns the configuration of this process with the same tag, so that its policies are compiled only once. Tags are unique among
 * clusters.
 */
export function shared(configuration: AdmissionConfiguration): AdmissionConfiguration {
  if (configuration.tag === '') return noAdmissionObjects
  const known = configurations.get(configuration.tag)
  if (known !== undefined) return known.configuration
  configurations.set(configuration.tag, sharedOf(configuration))
  return configuration
}
