/**
 * Facts about the kinds' strategies in kube-apiserver, by `<resource>[.<group>]`: what is not listed follows the rule.
 * The rule: names are DNS subdomains, a PUT neither creates nor needs a resourceVersion, a DELETE answers a Status,
 * a write to the resource leaves status as it is and a write to /status leaves spec.
 */
import { strategies } from '../catalog/generated/strategies.ts'
import { canonicalIpProblems } from '../catalog/validation/checks.ts'
import { nameIsDnsLabel, nameIsDnsSubdomain, nameIsLongName, nameIsPathSegment, type ValidateName } from '../meta/names.ts'

/** What of an object a write leaves as it was. */
export type ResetPaths = readonly (readonly string[])[]

/** What becomes of an object's dependents where a deletion does not say; Unsupported: its deletion never waits for them. */
export type GarbageCollectionPolicy = 'DeleteDependents' | 'OrphanDependents' | 'Unsupported'

/**
 * A check of an update: of the metadata as of a new object ('whole'), of how they have changed ('changes'), of the object,
 * and of how that has changed ('difference').
 */
export type UpdateCheck = 'whole' | 'changes' | 'object' | 'difference'

/** The facts of one resource. */
export interface StrategyOptions {
  /** What a name may be; the second argument tells that it is a generateName. */
  readonly validateName: ValidateName
  /** Few kinds check the generated name only. */
  readonly generateName: 'checked' | 'unchecked'
  /** What a generated name is: its base with an end by chance, or the base itself. */
  readonly generatedName: 'random' | 'base'
  /** Whether the kind's own validation of a create looks at metadata, or only what holds for all kinds, where the kind finds nothing. */
  readonly metadataOnCreate: 'own' | 'common'
  /** What the kind's own validation of an update looks at: the messages come as often, and in this order. */
  readonly updateChecks: readonly UpdateCheck[]
  /** How the numbers of stored objects are read: verbatim where JSON of any shape must stay as it was written. */
  readonly numbers: 'untyped' | 'verbatim'
  readonly allowCreateOnUpdate: boolean
  /** Whether a write to /status makes an object that is not there: upstream hands on there what an apply allows, or what the kind does. */
  readonly statusCreates: 'never' | 'by apply' | 'by apply and update'
  readonly allowUnconditionalUpdate: boolean
  /** The same of writes to subresources. */
  readonly allowUnconditionalSubresourceUpdate: boolean
  /** Whether objects count their changes: kept means that a new one begins to. */
  readonly generation: 'none' | 'kept' | 'counted'
  /** Whether the kind's own validation knows the finalizers that have no domain. */
  readonly finalizers: 'known' | 'any'
  /** DELETE answers the object as it last was. */
  readonly returnsDeletedObject: boolean
  readonly garbageCollection: GarbageCollectionPolicy
  /** What a client is told that leaves the default of garbageCollection to apply; '' for nothing. */
  readonly deletionWarning: string
  readonly resets: ResetPaths
  /** The same of a create. */
  readonly createResets: ResetPaths
  readonly statusResets: ResetPaths
  /** Where a write to another subresource than /status leaves other things. */
  readonly subresourceResets: Readonly<Record<string, ResetPaths>>
  /** What a write to the resource ('') or a subresource may change and yet does not come to own. */
  readonly unowned: Readonly<Record<string, ResetPaths>>
}

/** What kinds do that depart from nothing. */
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
  allowUnconditionalSubresourceUpdate: true,
  generation: 'none',
  finalizers: 'known',
  returnsDeletedObject: false,
  garbageCollection: 'DeleteDependents',
  deletionWarning: '',
  resets: [['status']],
  createResets: [['status']],
  statusResets: [['spec']],
  subresourceResets: {},
  unowned: {},
}

const metadataToo: ResetPaths = [['spec'], ['metadata']]
const generation = { generation: 'counted' } as const
const anyFinalizer = { finalizers: 'any' } as const
const orphaning = { garbageCollection: 'OrphanDependents' } as const
const changes = { updateChecks: ['changes', 'object'] } as const
const changesFirst = { updateChecks: ['changes', 'difference', 'whole', 'object'] } as const
const objectFirst = { updateChecks: ['whole', 'object', 'changes', 'difference'] } as const
const wholeTwice = { updateChecks: ['whole', 'object', 'whole', 'difference'] } as const
const wholeAlone = { updateChecks: ['whole', 'object'] } as const
const rbac = { validateName: nameIsPathSegment, ...objectFirst }

const optionsByResource: Readonly<Record<string, Partial<StrategyOptions>>> = {
  configmaps: changesFirst,
  endpoints: { ...changesFirst },
  // Only events.k8s.io looks at metadata: its own checks do.
  events: { metadataOnCreate: 'common', updateChecks: ['object'] },
  limitranges: { ...wholeAlone },
  namespaces: { validateName: nameIsDnsLabel, subresourceResets: { finalize: [['status']] } },
  // Who makes a Node may say all of it.
  nodes: { createResets: [], ...objectFirst },
  persistentvolumeclaims: { ...changesFirst },
  persistentvolumes: { ...wholeTwice },
  pods: {
    ...generation,
    ...changesFirst,
    // The first status is made of what is said there.
    createResets: [],
    statusResets: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
    // What else than their own fields is written there is left alone, but whoever writes it comes to own it.
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
    statusResets: metadataToo,
  },
  'certificatesigningrequests.certificates.k8s.io': {
    // Any name will do that fits in a path.
    validateName: () => [],
    generateName: 'unchecked',
    subresourceResets: { approval: [['spec'], ['status', 'certificate']] },
    unowned: { '': [['spec']], status: [['status', 'conditions']] },
  },
  'clusterrolebindings.rbac.authorization.k8s.io': rbac,
  'clusterroles.rbac.authorization.k8s.io': rbac,
  'controllerrevisions.apps': { ...changesFirst, numbers: 'verbatim' },
  'cronjobs.batch': { ...generation, ...changes },
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
  'flowschemas.flowcontrol.apiserver.k8s.io': { ...wholeAlone, ...generation, statusResets: metadataToo },
  'horizontalpodautoscalers.autoscaling': changes,
  'ingressclasses.networking.k8s.io': { ...generation, ...changesFirst },
  'ingresses.networking.k8s.io': { ...generation, ...changesFirst },
  'ipaddresses.networking.k8s.io': { validateName: canonicalIpProblems, generatedName: 'base', ...objectFirst },
  'jobs.batch': {
    // Its own checks look at the changes, after those of the whole Job.
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
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': { ...wholeAlone, ...generation, statusResets: metadataToo },
  'replicasets.apps': { ...generation, ...changes },
  'resourceclaims.resource.k8s.io': { statusResets: metadataToo },
  'resourceclaimtemplates.resource.k8s.io': { ...objectFirst },
  'resourceslices.resource.k8s.io': { ...changes, ...generation },
  'rolebindings.rbac.authorization.k8s.io': rbac,
  'roles.rbac.authorization.k8s.io': rbac,
  'runtimeclasses.node.k8s.io': { ...anyFinalizer, ...objectFirst },
  'servicecidrs.networking.k8s.io': { statusResets: metadataToo, ...changes },
  'statefulsets.apps': { ...generation, ...changes, validateName: nameIsDnsLabel },
  'storageclasses.storage.k8s.io': { ...objectFirst },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    statusCreates: 'by apply',
    ...wholeAlone,
    ...anyFinalizer,
    ...generation,
    statusResets: metadataToo,
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
  'volumeattachments.storage.k8s.io': { ...wholeAlone, statusResets: metadataToo },
  'volumeattributesclasses.storage.k8s.io': { ...changesFirst },
}

const upstream: Readonly<Record<string, Partial<StrategyOptions>>> = strategies

/** The options of the resource whose collection has this prefix: upstream's constants, and what is written here besides. */
export function strategyOptionsOf(prefix: string): StrategyOptions {
  return { ...defaultStrategy, ...upstream[prefix], ...optionsByResource[prefix] }
}

/** Whether a write to the resource ('') or one of its subresources makes an object that is not there. */
export function mayCreateBy(verb: 'apply' | 'update', rules: StrategyOptions, subresource: string): boolean {
  if (subresource === '') return verb === 'apply' || rules.allowCreateOnUpdate
  if (subresource !== 'status') return false
  return rules.statusCreates === 'by apply and update' || (verb === 'apply' && rules.statusCreates === 'by apply')
}
