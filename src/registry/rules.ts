/**
 * Facts about the kinds' strategies in kube-apiserver, by `<resource>[.<group>]`: what is not listed follows the rule.
 * The rule: names are DNS subdomains, a PUT neither creates nor needs a resourceVersion, a DELETE answers a Status,
 * a write to the resource leaves status as it is and a write to /status leaves spec.
 */
import { nameIsDnsLabel, nameIsDnsSubdomain, nameIsPathSegment, type ValidateName } from '../meta/names.ts'

/** What of an object a write leaves as it was. */
export type ResetPaths = readonly (readonly string[])[]

/** What becomes of an object's dependents where a deletion does not say; Unsupported: its deletion never waits for them. */
export type GarbageCollectionPolicy = 'DeleteDependents' | 'OrphanDependents' | 'Unsupported'

/** The facts of one resource. */
export interface StrategyRules {
  /** What a name may be; the second argument tells that it is a generateName. */
  readonly validateName: ValidateName
  /** How the kind's own validation of an update looks at metadata: the messages come as often, and in this order. */
  readonly metadataOnUpdate: 'changes' | 'changes, whole' | 'whole, changes'
  readonly allowCreateOnUpdate: boolean
  readonly allowUnconditionalUpdate: boolean
  readonly hasGeneration: boolean
  /** DELETE answers the object as it last was. */
  readonly returnsDeletedObject: boolean
  readonly garbageCollection: GarbageCollectionPolicy
  /** What a client is told that leaves the default of garbageCollection to apply; '' for nothing. */
  readonly deletionWarning: string
  readonly resets: ResetPaths
  readonly statusResets: ResetPaths
  /** Where a write to another subresource than /status leaves other things. */
  readonly subresourceResets: Readonly<Record<string, ResetPaths>>
  /** What a write to the resource ('') or a subresource may change and yet does not come to own. */
  readonly unowned: Readonly<Record<string, ResetPaths>>
}

const rule: StrategyRules = {
  validateName: nameIsDnsSubdomain,
  metadataOnUpdate: 'whole, changes',
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  hasGeneration: false,
  returnsDeletedObject: false,
  garbageCollection: 'DeleteDependents',
  deletionWarning: '',
  resets: [['status']],
  statusResets: [['spec']],
  subresourceResets: {},
  unowned: {},
}

const metadataToo: ResetPaths = [['spec'], ['metadata']]
const generation = { hasGeneration: true }
const returned = { returnsDeletedObject: true }
const conditional = { allowUnconditionalUpdate: false }
const created = { allowCreateOnUpdate: true }
const orphaning = { garbageCollection: 'OrphanDependents' } as const
const changes = { metadataOnUpdate: 'changes' } as const
const changesFirst = { metadataOnUpdate: 'changes, whole' } as const
const rbac = { validateName: nameIsPathSegment, ...created }

const departures: Readonly<Record<string, Partial<StrategyRules>>> = {
  configmaps: changesFirst,
  endpoints: created,
  events: { ...created, garbageCollection: 'Unsupported' },
  limitranges: created,
  namespaces: { validateName: nameIsDnsLabel, ...returned, subresourceResets: { finalize: [['status']] } },
  nodes: changes,
  persistentvolumeclaims: { ...returned, ...changes },
  persistentvolumes: returned,
  pods: {
    ...generation,
    ...changesFirst,
    ...returned,
    statusResets: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
    // What else than their own fields is written there is left alone, but whoever writes it comes to own it.
    subresourceResets: { ephemeralcontainers: [], resize: [] },
  },
  podtemplates: { ...generation, ...returned, ...changes, resets: [] },
  replicationcontrollers: { ...generation, ...orphaning, ...changes },
  resourcequotas: returned,
  secrets: changesFirst,
  serviceaccounts: { ...returned, ...changesFirst },
  services: { validateName: nameIsDnsLabel, ...created, ...returned, ...changes },
  'apiservices.apiregistration.k8s.io': { ...conditional, validateName: nameIsPathSegment, statusResets: metadataToo },
  'certificatesigningrequests.certificates.k8s.io': {
    subresourceResets: { approval: [['spec'], ['status', 'certificate']] },
    unowned: { '': [['spec']], status: [['status', 'conditions']] },
  },
  'clusterrolebindings.rbac.authorization.k8s.io': rbac,
  'clusterroles.rbac.authorization.k8s.io': rbac,
  'controllerrevisions.apps': {},
  'cronjobs.batch': { ...generation, ...changes },
  'csidrivers.storage.k8s.io': { ...conditional, ...returned },
  'csinodes.storage.k8s.io': { ...conditional, ...returned },
  'csistoragecapacities.storage.k8s.io': conditional,
  'customresourcedefinitions.apiextensions.k8s.io': { ...generation, ...conditional },
  'daemonsets.apps': { ...generation, ...changes },
  'deployments.apps': { ...generation, ...changes, statusResets: [['spec'], ['metadata', 'labels']] },
  'deviceclasses.resource.k8s.io': { ...generation, ...returned },
  'endpointslices.discovery.k8s.io': generation,
  'flowschemas.flowcontrol.apiserver.k8s.io': { ...generation, statusResets: metadataToo },
  'ingressclasses.networking.k8s.io': generation,
  'ingresses.networking.k8s.io': { ...generation, ...changes },
  'jobs.batch': {
    ...generation,
    ...orphaning,
    deletionWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  },
  'leases.coordination.k8s.io': { ...created, ...conditional },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': { ...generation, ...conditional },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': { ...generation, ...conditional },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': { ...generation, ...conditional },
  'networkpolicies.networking.k8s.io': { ...generation, ...changes },
  'poddisruptionbudgets.policy': { ...generation, ...conditional },
  'priorityclasses.scheduling.k8s.io': generation,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': { ...generation, statusResets: metadataToo },
  'replicasets.apps': { ...generation, ...changes },
  'resourceclaims.resource.k8s.io': { ...returned, statusResets: metadataToo },
  'resourceclaimtemplates.resource.k8s.io': returned,
  'resourceslices.resource.k8s.io': { ...generation, ...returned },
  'rolebindings.rbac.authorization.k8s.io': rbac,
  'roles.rbac.authorization.k8s.io': rbac,
  'runtimeclasses.node.k8s.io': { ...created, ...conditional },
  'servicecidrs.networking.k8s.io': { statusResets: metadataToo },
  'statefulsets.apps': { ...generation, ...changes, validateName: nameIsDnsLabel },
  'storageclasses.storage.k8s.io': returned,
  'validatingadmissionpolicies.admissionregistration.k8s.io': { ...generation, ...conditional, statusResets: metadataToo },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': { ...generation, ...conditional },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': { ...generation, ...conditional },
  'volumeattachments.storage.k8s.io': { ...conditional, ...returned, statusResets: metadataToo },
  'volumeattributesclasses.storage.k8s.io': returned,
}

/** The facts of the resource whose collection has this prefix. */
export function rulesOf(prefix: string): StrategyRules {
  const departure = departures[prefix]
  return departure === undefined ? rule : { ...rule, ...departure }
}
