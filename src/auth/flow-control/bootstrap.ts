/**
 * The FlowSchemas and PriorityLevelConfigurations that exist in every cluster. Follows the bootstrap policy of kube-apiserver.
 */
import {
  everyone,
  everything,
  groupSubject,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
} from '../../catalog/validation/flowcontrol/mandatory.ts'
import type { JsonObject } from '../../go/json-value.ts'

/** An object and its resource. */
export interface FlowControlObject {
  readonly resource: 'flowschemas' | 'prioritylevelconfigurations'
  readonly object: JsonObject & { metadata: JsonObject; status: JsonObject }
}

/** The annotation with which the server keeps updating the spec of its own objects to its release. */
const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'true' }

/** The suggested (changeable) priority levels, by name: nominal shares, lendable percent, queues, hand size. */
const queued: Readonly<Record<string, readonly [number, number, number, number]>> = {
  'leader-election': [10, 0, 16, 4],
  'node-high': [40, 25, 64, 6],
  system: [30, 33, 64, 6],
  'workload-high': [40, 50, 128, 6],
  'workload-low': [100, 90, 128, 6],
  'global-default': [20, 50, 128, 6],
}

const queueLengthLimit = 50

function priorityLevel(name: string, spec: JsonObject): FlowControlObject {
  return { resource: 'prioritylevelconfigurations', object: { metadata: { name, annotations }, spec, status: {} } }
}

function* priorityLevels(): Generator<FlowControlObject> {
  for (const [name, spec] of Object.entries(mandatoryPriorityLevels)) yield priorityLevel(name, spec)
  for (const [name, [nominalConcurrencyShares, lendablePercent, queues, handSize]] of Object.entries(queued)) {
    const limitResponse = { type: 'Queue', queuing: { queues, handSize, queueLengthLimit } }
    yield priorityLevel(name, { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse, lendablePercent } })
  }
}

const user = (name: string): JsonObject => ({ kind: 'User', user: { name } })
const systemAccounts: JsonObject = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } }

const leases = (verbs: string[]): JsonObject => ({
  verbs,
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  namespaces: ['*'],
})
const nodes: JsonObject = {
  verbs: ['*'],
  apiGroups: [''],
  resources: ['nodes', 'nodes/status'],
  clusterScope: true,
  namespaces: ['*'],
}
const probes: JsonObject = { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] }

type Distinguisher = 'ByUser' | 'ByNamespace' | 'none'

/** The suggested (changeable) flow schemas, by name: precedence, priority level, distinguisher, subjects, rules. */
const schemas: Readonly<Record<string, readonly [number, string, Distinguisher, JsonObject[], JsonObject]>> = {
  probes: [2, 'exempt', 'none', everyone, probes],
  'system-leader-election': [
    100,
    'leader-election',
    'ByUser',
    [user('system:kube-controller-manager'), user('system:kube-scheduler'), systemAccounts],
    { resourceRules: [leases(['get', 'create', 'update'])] },
  ],
  'system-node-high': [400, 'node-high', 'ByUser', [groupSubject('system:nodes')], { resourceRules: [nodes, leases(['*'])] }],
  'system-nodes': [500, 'system', 'ByUser', [groupSubject('system:nodes')], everything],
  'kube-controller-manager': [800, 'workload-high', 'ByNamespace', [user('system:kube-controller-manager')], everything],
  'kube-scheduler': [800, 'workload-high', 'ByNamespace', [user('system:kube-scheduler')], everything],
  'kube-system-service-accounts': [900, 'workload-high', 'ByNamespace', [systemAccounts], everything],
  'service-accounts': [9000, 'workload-low', 'ByUser', [groupSubject('system:serviceaccounts')], everything],
  'global-default': [9900, 'global-default', 'ByUser', everyone, everything],
}

const flowSchema = (name: string, spec: JsonObject): FlowControlObject => ({
  resource: 'flowschemas',
  object: { metadata: { name, annotations }, spec, status: {} },
})

/** Yields all bootstrap objects, priority levels before the schemas that refer to them. */
export function* flowControlObjects(): Generator<FlowControlObject> {
  yield* priorityLevels()
  for (const [name, spec] of Object.entries(mandatoryFlowSchemas)) yield flowSchema(name, spec)
  for (const [name, [matchingPrecedence, level, type, subjects, requests]] of Object.entries(schemas)) {
    yield flowSchema(name, {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(type !== 'none' && { distinguisherMethod: { type } }),
      rules: [{ subjects, ...requests }],
    })
  }
}
