/**
 * Constants of the kinds' strategies in kube-apiserver, by `<resource>[.<group>]`. Kinds that are not listed have the default
 * strategy: names are DNS subdomains, a PUT neither creates nor needs a resourceVersion, a DELETE returns a Status, a write to
 * the
 * resource leaves the status unchanged, and a write to /status leaves the spec unchanged.
 */
import { strategies } from '../catalog/generated/strategies.ts'
import type { KindFacts } from '../catalog/kind.ts'
import { storageVersionNameProblems } from '../catalog/validation/apiserverinternal/storage-version.ts'
import { canonicalIpProblems } from '../catalog/validation/checks.ts'
import { isConfigMapKey } from '../meta/identifiers.ts'
import { nameIsDnsLabel, nameIsDnsSubdomain, nameIsLongName, nameIsPathSegment, type ValidateName } from '../meta/names.ts'

/** Fields that a write resets to their stored values (GetResetFields). */
export type ResetPaths = readonly (readonly string[])[]

/** The policy for dependents of a deletion without propagationPolicy. Unsupported: a deletion never waits for dependents. */
export type GarbageCollectionPolicy = 'DeleteDependents' | 'OrphanDependents' | 'Unsupported'

/**
 * A validation of an update: 'whole' validates the new metadata (ValidateObjectMeta), 'changes' the change of metadata
 * (ValidateObjectMetaUpdate), 'object' the rest of the object, 'difference' the change of the rest.
 */
export type UpdateCheck = 'whole' | 'changes' | 'object' | 'difference'

/**
 * The treatment of metadata other than resourceVersion and managedFields in a write to /status: it is 'written' as the request
 * contains it, the fields of ResetObjectMetaForStatus are 'reset' to their stored values, so that other changes are validated, or
 * all of it is 'restored'.
 */
export type StatusMetadata = 'written' | 'reset' | 'restored'

/** The strategy constants of one resource. */
export interface StrategyOptions {
  /** Validates a name. The second argument says whether it is a generateName. */
  readonly validateName: ValidateName
  /** Whether generateName is validated. A few kinds validate only the generated name. */
  readonly generateName: 'checked' | 'unchecked'
  /** The generated name: its base with a random suffix, or the base itself. */
  readonly generatedName: 'random' | 'base'
  /**
   * The validation of metadata on create: 'own' by the kind; 'common' only by the rules for all kinds, if the kind finds no
   * errors.
   */
  readonly metadataOnCreate: 'own' | 'common'
  /** The validations of an update by the kind, in this order. Repeated ones repeat their messages, as in kube-apiserver. */
  readonly updateChecks: readonly UpdateCheck[]
  /** The decoding of numbers in stored objects: verbatim if arbitrary JSON must be kept as written. */
  readonly numbers: 'untyped' | 'verbatim'
  /** Whether a PUT creates a missing object. */
  readonly allowCreateOnUpdate: boolean
  /**
   * Whether a write to /status creates a missing object: for some kinds /status passes on forceAllowCreate or
   * AllowCreateOnUpdate.
   */
  readonly statusCreates: 'never' | 'by apply' | 'by apply and update'
  /** Whether an update, also of a subresource, needs no resourceVersion. */
  readonly allowUnconditionalUpdate: boolean
  /**
   * Whether kube-apiserver reads from its watch cache, which ignores the limit of a list at resourceVersion "0" and waits for a
   * version that it has not reached, or from etcd.
   */
  readonly reads: 'cached' | 'stored'
  /** The use of metadata.generation: 'counted' increments it on changes of the spec, 'kept' only sets it on create. */
  readonly generation: 'none' | 'kept' | 'counted'
  /** Whether the kind's validation rejects finalizers without a domain, except the known ones. */
  readonly finalizers: 'known' | 'any'
  /** Whether DELETE returns the last state of the object instead of a Status. */
  readonly returnsDeletedObject: boolean
  readonly garbageCollection: GarbageCollectionPolicy
  /** The warning for a deletion without propagationPolicy; '' for no warning. */
  readonly deletionWarning: string
  /** Fields that an update of the resource resets. */
  readonly resets: ResetPaths
  /** Fields that a create removes. */
  readonly createResets: ResetPaths
  /** Fields that a write to /status, and by default to every other subresource, resets. */
  readonly statusResets: ResetPaths
  /** The treatment of metadata in such writes. */
  readonly statusMetadata: StatusMetadata
  /**
   * The validations of metadata in a write to a subresource, besides those of every write. Absent: the change, if the kind validates
   * metadata in updates.
   */
  readonly subresourceChecks?: readonly ('whole' | 'changes')[]
  /** Fields that a write to another subresource resets, if they differ from statusResets. */
  readonly subresourceResets: Readonly<Record<string, ResetPaths>>
  /** Fields that a write to the resource ('') or a subresource may change without owning them. */
  readonly unowned: Readonly<Record<string, ResetPaths>>
}

/** The default strategy. */
export const defaultStrategy: StrategyOptions = {
  validateName: nameIsDnsSubdomain,
  generateName: 'checked',
  generatedName: 'random',
  metadataOnCreate: 'own',
  updateChecks: ['whole', 'changes', 'object'],
  numbers: 'untyped',
  allowCreateOnUpdate: false,
  statusCreates: 'never',
  allowUnconditionalUpdate: true,
  reads: 'cached',
  generation: 'none',
  finalizers: 'known',
  returnsDeletedObject: false,
  garbageCollection: 'DeleteDependents',
  deletionWarning: '',
  resets: [['status']],
  createResets: [['status']],
  statusResets: [['spec']],
  statusMetadata: 'written',
  subresourceResets: {},
  unowned: {},
}

const metadataToo = { statusResets: [['spec'], ['metadata']], statusMetadata: 'reset' } as const
const metadataRestored = { ...metadataToo, statusMetadata: 'restored' } as const
const generation = { generation: 'counted' } as const
const anyFinalizer = { finalizers: 'any' } as const
const orphaning = { garbageCollection: 'OrphanDependents' } as const
const changes = { updateChecks: ['changes', 'object'] } as const
const changesFirst = { updateChecks: ['changes', 'difference', 'whole', 'object'] } as const
const objectFirst = { updateChecks: ['whole', 'object', 'changes', 'difference'] } as const
const wholeTwice = { updateChecks: ['whole', 'object', 'whole', 'difference'] } as const
const wholeAlone = { updateChecks: ['whole', 'object'] } as const
const rbac = { validateName: nameIsPathSegment, ...objectFirst }

/** The options of kinds that are served only if they are switched on. */
const optionalOptions: Readonly<Record<string, Partial<StrategyOptions>>> = {
  'clustertrustbundles.certificates.k8s.io': { ...objectFirst },
  'devicetaintrules.resource.k8s.io': { ...generation, ...changes, ...metadataToo },
  'leasecandidates.coordination.k8s.io': { ...changes, ...anyFinalizer, validateName: isConfigMapKey },
  'podcertificaterequests.certificates.k8s.io': { ...changes, statusMetadata: 'reset' },
  'podgroups.scheduling.k8s.io': { ...changes, ...metadataToo },
  'resourcepoolstatusrequests.resource.k8s.io': { ...changes, ...metadataToo },
  'storageversionmigrations.storagemigration.k8s.io': { ...objectFirst, ...metadataToo },
  'storageversions.internal.apiserver.k8s.io': {
    updateChecks: ['object'],
    ...metadataToo,
    validateName: storageVersionNameProblems,
  },
  'workloads.scheduling.k8s.io': { ...changes },
}

const optionsByResource: Readonly<Record<string, Partial<StrategyOptions>>> = {
  configmaps: changesFirst,
  endpoints: { ...changesFirst },
  // The validation of events.k8s.io itself checks metadata, that of core events does not.
  events: { metadataOnCreate: 'common', updateChecks: ['object'], reads: 'stored' },
  limitranges: { ...wholeAlone },
  namespaces: { validateName: nameIsDnsLabel, subresourceResets: { finalize: [['status']] } },
  // A new Node may have a status.
  nodes: { createResets: [], ...objectFirst },
  persistentvolumeclaims: { ...changesFirst },
  persistentvolumes: { ...wholeTwice },
  pods: {
    ...generation,
    ...changesFirst,
    // prepareForCreate derives the initial status from the given one.
    createResets: [],
    statusResets: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
    // Their prepareForUpdate restores all other fields. The field manager owns them nevertheless.
    subresourceResets: { ephemeralcontainers: [], resize: [] },
  },
  podtemplates: { ...generation, ...changes, resets: [], createResets: [] },
  replicationcontrollers: { validateName: nameIsLongName, generateName: 'unchecked', ...generation, ...orphaning, ...changes },
  resourcequotas: { ...changes },
  secrets: changesFirst,
  serviceaccounts: { ...changesFirst },
  services: { validateName: nameIsDnsLabel, statusCreates: 'by apply and update', ...changes },
  'apiservices.apiregistration.k8s.io': {
    ...changesFirst,
    ...anyFinalizer,
    validateName: nameIsPathSegment,
    ...metadataRestored,
  },
  'certificatesigningrequests.certificates.k8s.io': {
    // Every path segment is a valid name.
    validateName: () => [],
    generateName: 'unchecked',
    subresourceChecks: ['whole', 'changes'],
    subresourceResets: { approval: [['spec'], ['status', 'certificate']] },
    unowned: { '': [['spec']], status: [['status', 'conditions']] },
  },
  'clusterrolebindings.rbac.authorization.k8s.io': rbac,
  'clusterroles.rbac.authorization.k8s.io': rbac,
  'controllerrevisions.apps': { ...changesFirst, numbers: 'verbatim' },
  'cronjobs.batch': { ...generation, ...changes, subresourceChecks: [] },
  'csidrivers.storage.k8s.io': { ...changes },
  'csinodes.storage.k8s.io': { ...wholeAlone },
  'csistoragecapacities.storage.k8s.io': { ...objectFirst },
  'customresourcedefinitions.apiextensions.k8s.io': {
    ...generation,
    ...changes,
    ...anyFinalizer,
  },
  'daemonsets.apps': { ...generation, ...changes },
  'deployments.apps': { ...generation, ...changes, statusResets: [['spec'], ['metadata', 'labels']] },
  'deviceclasses.resource.k8s.io': { validateName: nameIsLongName, generateName: 'unchecked', ...generation },
  'endpointslices.discovery.k8s.io': { ...generation, ...wholeAlone },
  'flowschemas.flowcontrol.apiserver.k8s.io': { ...wholeAlone, ...generation, ...metadataRestored },
  'horizontalpodautoscalers.autoscaling': changes,
  'ingressclasses.networking.k8s.io': { ...generation, ...changesFirst },
  'ingresses.networking.k8s.io': { ...generation, ...changesFirst },
  'ipaddresses.networking.k8s.io': { validateName: canonicalIpProblems, generatedName: 'base', ...objectFirst },
  'jobs.batch': {
    // validateJobUpdate checks the changes itself, after the whole Job.
    ...wholeAlone,
    ...generation,
    ...orphaning,
    deletionWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  },
  'leases.coordination.k8s.io': { ...changes, ...anyFinalizer },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': { ...wholeAlone, ...anyFinalizer, ...generation },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    ...wholeAlone,
    ...anyFinalizer,
    ...generation,
  },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': { ...wholeAlone, ...anyFinalizer, ...generation },
  'networkpolicies.networking.k8s.io': { ...generation, ...changes },
  'poddisruptionbudgets.policy': { ...generation, metadataOnCreate: 'common', updateChecks: ['object'] },
  'priorityclasses.scheduling.k8s.io': { generation: 'kept', ...changes },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': { ...wholeAlone, ...generation, ...metadataRestored },
  'replicasets.apps': { ...generation, ...changes },
  'resourceclaims.resource.k8s.io': { ...metadataToo },
  'resourceclaimtemplates.resource.k8s.io': { ...objectFirst },
  'resourceslices.resource.k8s.io': { ...changes, ...generation },
  'rolebindings.rbac.authorization.k8s.io': rbac,
  'roles.rbac.authorization.k8s.io': rbac,
  'runtimeclasses.node.k8s.io': { ...anyFinalizer, ...objectFirst },
  'servicecidrs.networking.k8s.io': { ...metadataToo, ...changes },
  'statefulsets.apps': { ...generation, ...changes, validateName: nameIsDnsLabel },
  'storageclasses.storage.k8s.io': { ...objectFirst },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    statusCreates: 'by apply',
    ...wholeAlone,
    ...anyFinalizer,
    ...generation,
    ...metadataToo,
    subresourceChecks: [],
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    ...wholeAlone,
    ...anyFinalizer,
    ...generation,
  },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': {
    ...wholeAlone,
    ...anyFinalizer,
    ...generation,
  },
  'volumeattachments.storage.k8s.io': { ...wholeAlone, ...metadataToo, subresourceChecks: ['whole'] },
  'volumeattributesclasses.storage.k8s.io': { ...changesFirst },
}

const upstream: Readonly<Record<string, Partial<StrategyOptions>>> = strategies

/**
 * Returns the options of a resource by its key prefix: generated constants of kube-apiserver, overridden by those in this file.
 */
export function strategyOptionsOf(prefix: string): StrategyOptions {
  return { ...defaultStrategy, ...upstream[prefix], ...optionsByResource[prefix], ...optionalOptions[prefix] }
}

/** The first versions of workloads: their deletion orphans dependents by default. */
const orphaningVersions: ReadonlySet<string> = new Set(['apps/v1beta1', 'apps/v1beta2', 'batch/v1beta1', 'extensions/v1beta1'])
const orphaningOnce: ReadonlySet<string> = new Set([
  'cronjobs.batch',
  'daemonsets.apps',
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
])

/** Returns the policy for dependents (DefaultGarbageCollectionPolicy). @param kind has the version of the request */
export function garbageCollectionOf(kind: KindFacts, { garbageCollection }: StrategyOptions): GarbageCollectionPolicy {
  const isOrphaning = orphaningVersions.has(kind.apiVersion) && orphaningOnce.has(kind.storage.prefix)
  return isOrphaning ? 'OrphanDependents' : garbageCollection
}

/** Whether a write to the resource ('') or a subresource creates a missing object. */
export function mayCreateBy(verb: 'apply' | 'update', rules: StrategyOptions, subresource: string): boolean {
  if (subresource === '') return verb === 'apply' || rules.allowCreateOnUpdate
  if (subresource !== 'status') return false
  return rules.statusCreates === 'by apply and update' || (verb === 'apply' && rules.statusCreates === 'by apply')
}
