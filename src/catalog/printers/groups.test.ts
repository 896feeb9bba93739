import { expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import { kindOf } from '../scheme.ts'
import { printerOf } from './printers.ts'
import { ago, cellsOf, metadata } from './rows.fixture.ts'

const annotated = (annotation: string): JsonObject => ({ metadata: metadata('x', { annotations: { [annotation]: 'true' } }) })
const rules = (...hosts: string[]): JsonObject => ({ spec: { rules: hosts.map((host) => (host === '' ? {} : { host })) } })
const conditions = (...types: string[]): JsonObject => ({ conditions: types.map((type) => ({ type, status: 'True' })) })

const networking: [string, JsonObject, unknown[]][] = [
  ['networking.k8s.io/v1/ingresses', { spec: {} }, ['x', '<none>', '*', '', '80', '60s']],
  [
    'networking.k8s.io/v1/ingresses',
    {
      spec: { ingressClassName: 'c', tls: [{}], rules: [{ host: 'a.b' }] },
      status: { loadBalancer: { ingress: [{ ip: '9.9.9.9' }, { hostname: 'a.very.long.name' }] } },
    },
    ['x', 'c', 'a.b', '9.9.9.9,a.very.long.name', '80, 443', '60s'],
  ],
  ['networking.k8s.io/v1/ingresses', rules('a', 'b', '', 'c', 'd'), ['x', '<none>', 'a,b,c + 2 more...', '', '80', '60s']],
  ['networking.k8s.io/v1/ingresses', rules('a', 'b', 'c'), ['x', '<none>', 'a,b,c', '', '80', '60s']],
  [
    'networking.k8s.io/v1/ingressclasses',
    { ...annotated('ingressclass.kubernetes.io/is-default-class'), spec: { controller: 'x.io/c' } },
    ['x (default)', 'x.io/c', '<none>', '60s'],
  ],
  [
    'networking.k8s.io/v1/ingressclasses',
    { spec: { parameters: { apiGroup: 'g.io', kind: 'P', name: 'p' } } },
    ['x', '', 'P.g.io/p', '60s'],
  ],
  ['networking.k8s.io/v1/networkpolicies', { spec: { podSelector: {} } }, ['x', '<none>', '60s']],
  ['networking.k8s.io/v1/networkpolicies', { spec: { podSelector: { matchLabels: { a: '1' } } } }, ['x', 'a=1', '60s']],
  [
    'networking.k8s.io/v1/servicecidrs',
    { spec: { cidrs: ['10.0.0.0/16', 'fd00::/112'] } },
    ['x', '10.0.0.0/16,fd00::/112', '60s'],
  ],
  [
    'networking.k8s.io/v1/ipaddresses',
    { spec: { parentRef: { group: 'Foo.io', resource: 'Bars', namespace: 'ns', name: 'n' } } },
    ['x', 'bars.foo.io/ns/n', '60s'],
  ],
  ['networking.k8s.io/v1/ipaddresses', { spec: { parentRef: { resource: 'services', name: 'n' } } }, ['x', 'services/n', '60s']],
  ['discovery.k8s.io/v1/endpointslices', { addressType: 'FQDN', ports: [{}] }, ['x', 'FQDN', '*', '<unset>', '60s']],
  [
    'discovery.k8s.io/v1/endpointslices',
    {
      addressType: 'IPv4',
      ports: [{ name: 'a', port: 80 }, { name: 'b' }, { port: 82 }, { port: 83 }],
      endpoints: [{ addresses: ['1.1.1.1', '1.1.1.2'] }, { addresses: ['1.1.1.3', '1.1.1.4'] }],
    },
    ['x', 'IPv4', '80,b,82 + 1 more...', '1.1.1.1,1.1.1.2,1.1.1.3 + 1 more...', '60s'],
  ],
]

const storage: [string, JsonObject, unknown[]][] = [
  [
    'storage.k8s.io/v1/storageclasses',
    { ...annotated('storageclass.beta.kubernetes.io/is-default-class'), provisioner: 'p' },
    ['x (default)', 'p', 'Delete', 'Immediate', false, '60s'],
  ],
  [
    'storage.k8s.io/v1/storageclasses',
    { provisioner: 'p', reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer', allowVolumeExpansion: true },
    ['x', 'p', 'Retain', 'WaitForFirstConsumer', true, '60s'],
  ],
  ['storage.k8s.io/v1/volumeattributesclasses', { driverName: 'd.io' }, ['x', 'd.io', '60s']],
  [
    'storage.k8s.io/v1/volumeattachments',
    { spec: { attacher: 'a.io', nodeName: 'n', source: { persistentVolumeName: 'pv' } }, status: { attached: true } },
    ['x', 'a.io', 'pv', 'n', true, '60s'],
  ],
  ['storage.k8s.io/v1/csinodes', { spec: { drivers: [{ name: 'd' }] } }, ['x', 1, '60s']],
  ['storage.k8s.io/v1/csidrivers', {}, ['x', true, false, false, '<unset>', false, '<none>', '60s']],
  [
    'storage.k8s.io/v1/csidrivers',
    {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        storageCapacity: true,
        requiresRepublish: true,
        tokenRequests: [{ audience: 'a' }, { audience: 'b' }],
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
      },
    },
    ['x', false, true, true, 'a,b', true, 'Persistent,Ephemeral', '60s'],
  ],
  ['storage.k8s.io/v1/csistoragecapacities', {}, ['x', ago(60)]],
]

const admission = 'admissionregistration.k8s.io/v1'
const binding = (paramRef: JsonObject): JsonObject => ({ spec: { policyName: 'p', paramRef } })
const requirement = '[]LabelSelectorRequirement{LabelSelectorRequirement{Key:b,Operator:NotIn,Values:[y x],},}'

const configuration: [string, JsonObject, unknown[]][] = [
  [`${admission}/validatingwebhookconfigurations`, { webhooks: [{}, {}] }, ['x', 2, '60s']],
  [`${admission}/mutatingwebhookconfigurations`, {}, ['x', 0, '60s']],
  [
    `${admission}/validatingadmissionpolicies`,
    { spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{}] } },
    ['x', 1, 'v1/ConfigMap', '60s'],
  ],
  [`${admission}/mutatingadmissionpolicies`, { spec: { mutations: [{}, {}] } }, ['x', 2, '<unset>', '60s']],
  [`${admission}/validatingadmissionpolicybindings`, { spec: { policyName: 'p' } }, ['x', 'p', '<unset>', '60s']],
  [`${admission}/validatingadmissionpolicybindings`, binding({ name: 'n' }), ['x', 'p', '*/n', '60s']],
  [`${admission}/mutatingadmissionpolicybindings`, binding({ name: 'n', namespace: 'ns' }), ['x', 'p', 'ns/n', '60s']],
  [
    `${admission}/mutatingadmissionpolicybindings`,
    binding({
      selector: { matchLabels: { z: '1', a: '2' }, matchExpressions: [{ key: 'b', operator: 'NotIn', values: ['y', 'x'] }] },
    }),
    ['x', 'p', `&LabelSelector{MatchLabels:map[string]string{a: 2,z: 1,},MatchExpressions:${requirement},}`, '60s'],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/flowschemas',
    { spec: { matchingPrecedence: 9, priorityLevelConfiguration: { name: 'l' } } },
    ['x', 'l', 9, '<none>', '60s', '?'],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/flowschemas',
    { spec: { distinguisherMethod: { type: 'ByUser' } }, status: conditions('Dangling') },
    ['x', '', 0, 'ByUser', '60s', 'True'],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    {
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 0,
          limitResponse: { queuing: { queues: 16, handSize: 4, queueLengthLimit: 10 } },
        },
      },
    },
    ['x', 'Limited', 0, 16, 4, 10, '60s'],
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    { spec: { type: 'Exempt', exempt: {} } },
    ['x', 'Exempt', '<none>', '<none>', '<none>', '<none>', '60s'],
  ],
]

const csr = 'certificates.k8s.io/v1/certificatesigningrequests'
const apiService = (status: string, reason?: string): JsonObject => ({
  spec: { service: { namespace: 'ns', name: 's' } },
  status: { conditions: [{ type: 'Available', status, ...(reason !== undefined && { reason }) }] },
})

const access: [string, JsonObject, unknown[]][] = [
  [
    'rbac.authorization.k8s.io/v1/rolebindings',
    {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u1' },
        { kind: 'User', name: 'u2' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', namespace: 'n', name: 's' },
      ],
    },
    ['x', 'Role/r', '60s', 'u1, u2', 'g', 'n/s'],
  ],
  [
    'rbac.authorization.k8s.io/v1/clusterrolebindings',
    { roleRef: { kind: 'ClusterRole', name: 'r' } },
    ['x', 'ClusterRole/r', '60s', '', '', ''],
  ],
  ['rbac.authorization.k8s.io/v1/clusterroles', {}, ['x', ago(60)]],
  [csr, { spec: { username: 'me' } }, ['x', '60s', '<none>', 'me', '<none>', 'Pending']],
  [
    csr,
    { spec: { signerName: 's.io/n', expirationSeconds: 3600 }, status: { ...conditions('Approved'), certificate: 'YQ==' } },
    ['x', '60s', 's.io/n', '', '60m', 'Approved,Issued'],
  ],
  [csr, { status: conditions('Approved', 'Failed', 'Denied') }, ['x', '60s', '<none>', '', '<none>', 'Denied,Failed']],
  ['apiregistration.k8s.io/v1/apiservices', { status: conditions('Available') }, ['x', 'Local', 'True', '60s']],
  ['apiregistration.k8s.io/v1/apiservices', apiService('False', 'Lost'), ['x', 'ns/s', 'False (Lost)', '60s']],
  ['apiregistration.k8s.io/v1/apiservices', { spec: {} }, ['x', 'Local', 'Unknown', '60s']],
  ['apiextensions.k8s.io/v1/customresourcedefinitions', {}, ['x', ago(60)]],
]

const scheduling: [string, JsonObject, unknown[]][] = [
  [
    'policy/v1/poddisruptionbudgets',
    { spec: { minAvailable: 1 }, status: { disruptionsAllowed: 2 } },
    ['x', '1', 'N/A', 2, '60s'],
  ],
  ['policy/v1/poddisruptionbudgets', { spec: { maxUnavailable: '30%' } }, ['x', 'N/A', '30%', 0, '60s']],
  ['scheduling.k8s.io/v1/priorityclasses', { value: -5, preemptionPolicy: 'Never' }, ['x', -5, false, '60s', 'Never']],
  ['coordination.k8s.io/v1/leases', { spec: { holderIdentity: 'me' } }, ['x', 'me', '60s']],
  ['node.k8s.io/v1/runtimeclasses', { handler: 'h' }, ['x', 'h', '60s']],
  ['resource.k8s.io/v1/deviceclasses', {}, ['x', '60s']],
  ['resource.k8s.io/v1/resourceclaimtemplates', {}, ['x', '60s']],
  ['resource.k8s.io/v1/resourceclaims', {}, ['x', 'pending', '60s']],
  [
    'resource.k8s.io/v1/resourceclaims',
    { status: { allocation: {}, reservedFor: [{ name: 'p' }] } },
    ['x', 'allocated,reserved', '60s'],
  ],
  [
    'resource.k8s.io/v1/resourceclaims',
    { metadata: metadata('x', { deletionTimestamp: ago(1) }), status: { allocation: {} } },
    ['x', 'deleted,allocated', '60s'],
  ],
  [
    'resource.k8s.io/v1/resourceslices',
    { spec: { driver: 'd.io', nodeName: 'n', pool: { name: 'p' } } },
    ['x', 'n', 'd.io', 'p', '60s'],
  ],
]

test.each([...networking, ...storage, ...configuration, ...access, ...scheduling])(
  'table row of %s %j',
  (path, object, expected) => {
    expect(cellsOf(path, { metadata: metadata('x'), ...object })).toEqual(expected)
  },
)

test('FlowSchemas are listed in matching order', () => {
  const kind = kindOf('flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas')
  if (kind === undefined) throw new Error('no kind')
  const schema = (name: string, matchingPrecedence: number): JsonObject => ({ metadata: { name }, spec: { matchingPrecedence } })
  const sorted = [schema('c', 9), schema('b', 9), schema('a', 10), schema('d', 1)].sort(printerOf(kind).compare)
  expect(sorted).toEqual([schema('d', 1), schema('b', 9), schema('c', 9), schema('a', 10)])
})
