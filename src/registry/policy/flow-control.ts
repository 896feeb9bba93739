/** Reads the cluster's FlowSchemas and PriorityLevelConfigurations from the control object's store. */
import type {
  FlowControlObjects,
  FlowNonResourceRule,
  FlowResourceRule,
  FlowRule,
  FlowSchema,
  FlowSubject,
  LimitResponse,
  PriorityLevel,
} from '../../clusters/flow-control-objects.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Store } from '../../storage/store.ts'
import { listUnder } from '../list/all.ts'

const group = 'flowcontrol.apiserver.k8s.io'

/** The key prefix of FlowSchemas. */
export const flowSchemaPrefix = `flowschemas.${group}/`
/** The key prefix of PriorityLevelConfigurations. */
export const priorityLevelPrefix = `prioritylevelconfigurations.${group}/`

/** A stored subject: its name is in a field that depends on its kind. */
interface StoredSubject {
  readonly kind: string
  readonly user?: { readonly name: string }
  readonly group?: { readonly name: string }
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
}

function subjectOf({ kind, user, group: named, serviceAccount }: StoredSubject): FlowSubject[] {
  if (kind === 'User' && user !== undefined) return [{ kind, name: user.name }]
  if (kind === 'Group' && named !== undefined) return [{ kind, name: named.name }]
  if (kind !== 'ServiceAccount' || serviceAccount === undefined) return []
  return [{ kind, namespace: serviceAccount.namespace, name: serviceAccount.name }]
}

interface StoredRule {
  readonly subjects?: readonly StoredSubject[] | null
  readonly resourceRules?: readonly Partial<FlowResourceRule>[]
  readonly nonResourceRules?: readonly FlowNonResourceRule[]
}

function ruleOf({ subjects, resourceRules = [], nonResourceRules = [] }: StoredRule): FlowRule {
  return {
    subjects: (subjects ?? []).flatMap(subjectOf),
    resourceRules: resourceRules.map(({ verbs, apiGroups, resources, clusterScope, namespaces }) => ({
      verbs: verbs ?? [],
      apiGroups: apiGroups ?? [],
      resources: resources ?? [],
      clusterScope: clusterScope ?? false,
      namespaces: namespaces ?? [],
    })),
    nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
  }
}

interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string }
  readonly matchingPrecedence: number
  readonly distinguisherMethod?: { readonly type: 'ByUser' | 'ByNamespace' } | null
  readonly rules?: readonly StoredRule[]
}

/** Converts a stored FlowSchema to the form that classification reads. */
export function flowSchemaOf({ metadata, spec }: KubernetesObject): FlowSchema {
  const { priorityLevelConfiguration, matchingPrecedence, distinguisherMethod, rules = [] } = spec as unknown as FlowSchemaSpec
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    matchingPrecedence,
    priorityLevel: priorityLevelConfiguration.name,
    distinguisher: distinguisherMethod?.type ?? '',
    rules: rules.map(ruleOf),
  }
}

interface PriorityLevelSpec {
  readonly type: 'Exempt' | 'Limited'
  readonly limited?: {
    readonly nominalConcurrencyShares?: number | null
    readonly borrowingLimitPercent?: number | null
    readonly limitResponse: {
      readonly type: 'Queue' | 'Reject'
      readonly queuing?: { readonly queues: number; readonly queueLengthLimit: number }
    }
  }
}

/** The limits of a priority level without `limited`: it has no seats of its own. */
const defaultLimited: NonNullable<PriorityLevelSpec['limited']> = { limitResponse: { type: 'Reject' } }

function limitResponseOf({ type, queuing }: NonNullable<PriorityLevelSpec['limited']>['limitResponse']): LimitResponse {
  if (type === 'Reject' || queuing === undefined) return { type: 'Reject' }
  return { type, queues: queuing.queues, queueLengthLimit: queuing.queueLengthLimit }
}

/** Converts a stored PriorityLevelConfiguration to the form that classification reads. */
export function priorityLevelOf({ metadata, spec }: KubernetesObject): PriorityLevel {
  const { name = '', uid = '' } = metadata
  const { type, limited = defaultLimited } = spec as unknown as PriorityLevelSpec
  if (type === 'Exempt') return { name, uid, type }
  const { nominalConcurrencyShares, borrowingLimitPercent, limitResponse } = limited
  return {
    name,
    uid,
    type,
    nominalConcurrencyShares: nominalConcurrencyShares ?? 0,
    ...(typeof borrowingLimitPercent === 'number' && { borrowingLimitPercent }),
    limitResponse: limitResponseOf(limitResponse),
  }
}

/** Returns all FlowSchemas and PriorityLevelConfigurations of the store. */
export function readFlowControlObjects(store: Store): FlowControlObjects {
  return {
    flowSchemas: [...listUnder(store, flowSchemaPrefix)].map(flowSchemaOf),
    priorityLevels: [...listUnder(store, priorityLevelPrefix)].map(priorityLevelOf),
  }
}
