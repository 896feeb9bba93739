import { expect, test } from 'vitest'
import type { JsonObject } from '../../../go/json-value.ts'
import { ago, cellsOf, metadata } from '../rows.fixture.ts'

const cells = (resource: string, object: JsonObject) => cellsOf(`/v1/${resource}`, { metadata: metadata('x'), ...object })

test.each<[string, JsonObject, unknown[]]>([
  [
    'ClusterIP without external IPs',
    { type: 'ClusterIP', clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9', 'fd00::9'], ports: [{ port: 80, protocol: 'TCP' }] },
    ['ClusterIP', '10.0.0.9', '<none>', '80/TCP', '60s', '<none>'],
  ],
  [
    'NodePort with external IPs',
    {
      type: 'NodePort',
      clusterIPs: ['10.0.0.9'],
      externalIPs: ['1.2.3.4', '1.2.3.5'],
      ports: [
        { port: 80, nodePort: 30987, protocol: 'TCP' },
        { port: 53, protocol: 'UDP' },
      ],
      selector: { b: '2', a: '1' },
    },
    ['NodePort', '10.0.0.9', '1.2.3.4,1.2.3.5', '80:30987/TCP,53/UDP', '60s', 'a=1,b=2'],
  ],
  ['headless', { type: 'ClusterIP', clusterIPs: ['None'] }, ['ClusterIP', 'None', '<none>', '<none>', '60s', '<none>']],
  [
    'ExternalName',
    { type: 'ExternalName', externalName: 'x.example.com' },
    ['ExternalName', '<none>', 'x.example.com', '<none>', '60s', '<none>'],
  ],
  ['LoadBalancer that is pending', { type: 'LoadBalancer' }, ['LoadBalancer', '<none>', '<pending>', '<none>', '60s', '<none>']],
])('Service table row: %s', (_, spec, expected) => {
  expect(cells('services', { spec })).toEqual(['x', ...expected])
})

test('load balancer addresses come before external IPs, sorted and not truncated', () => {
  const ingress = [{ ip: '5.5.5.5' }, { hostname: 'very-long.host.example.com' }, { ip: '4.4.4.4', hostname: 'h' }]
  const service = { spec: { type: 'LoadBalancer', externalIPs: ['9.9.9.9'] }, status: { loadBalancer: { ingress } } }
  expect(cells('services', service)[3]).toBe('4.4.4.4,5.5.5.5,very-long.host.example.com,9.9.9.9')
})

test.each<[JsonObject[], string]>([
  [[], '<none>'],
  [[{ notReadyAddresses: [{ ip: '1.1.1.1' }], ports: [{ port: 80 }] }], ''],
  [[{ addresses: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }] }], '1.1.1.1,1.1.1.2'],
  [
    [{ addresses: [{ ip: '1.1.1.1' }, { ip: 'fd00::1' }], ports: [{ port: 80 }, { port: 81 }] }],
    '1.1.1.1:80,[fd00::1]:80,1.1.1.1:81 + 1 more...',
  ],
])('Endpoints table row %j', (subsets, expected) => {
  expect(cells('endpoints', { subsets })).toEqual(['x', expected, '60s'])
})

test('Node table row: status, roles, version and system info', () => {
  const labels = {
    'node-role.kubernetes.io/worker': '',
    'node-role.kubernetes.io/control-plane': '',
    'kubernetes.io/role': 'zed',
  }
  const node = {
    metadata: metadata('n', { labels }),
    spec: { unschedulable: true },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      addresses: [{ type: 'InternalIP', address: '10.0.0.7' }],
      nodeInfo: { kubeletVersion: 'v1.36.3', osImage: 'Debian', kernelVersion: '6.1', architecture: 'arm64' },
    },
  }
  const system = ['v1.36.3', '10.0.0.7', '<none>', 'Debian', '6.1 (arm64)', '<unknown>']
  expect(cells('nodes', node)).toEqual(['n', 'Ready,SchedulingDisabled', 'control-plane,worker,zed', '60s', ...system])
  expect(cells('nodes', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } })[1]).toBe('NotReady')
  expect(cells('nodes', {}).slice(1, 3)).toEqual(['Unknown', '<none>'])
})

test('Event table row: first and last time of core/v1, event time of events.k8s.io/v1', () => {
  const involvedObject = { kind: 'Pod', name: 'p', fieldPath: 'spec.containers{a}' }
  const old = { firstTimestamp: ago(4080), lastTimestamp: ago(100), count: 5, source: { component: 'kubelet', host: 'n1' } }
  const common = { type: 'Normal', reason: 'R', message: '  hello \n', involvedObject }
  const row = ['Normal', 'R', 'pod/p', 'spec.containers{a}']
  expect(cells('events', { ...common, ...old })).toEqual(['100s', ...row, 'kubelet, n1', 'hello', '68m', 5, 'x'])
  const recent = { eventTime: ago(50).replace('Z', '.123456Z'), reportingComponent: 'c.io/x', reportingInstance: 'i' }
  expect(cells('events', { ...common, ...recent })).toEqual(['49s', ...row, 'c.io/x, i', 'hello', '49s', 1, 'x'])
  const series = { count: 7, lastObservedTime: ago(30).replace('Z', '.000000Z') }
  expect(cells('events', { ...common, ...recent, series })).toEqual(['30s', ...row, 'c.io/x, i', 'hello', '49s', 7, 'x'])
  expect(cells('events', { involvedObject: { kind: 'ReplicaSet' } }).slice(0, 4)).toEqual(['<unknown>', '', '', 'replicaset'])
})

test('PersistentVolume table row: canonical capacity and short access modes', () => {
  const spec = {
    capacity: { storage: '1.5Gi' },
    accessModes: ['ReadWriteMany', 'ReadWriteOnce', 'ReadWriteMany'],
    claimRef: { namespace: 'x', name: 'y' },
    persistentVolumeReclaimPolicy: 'Delete',
    storageClassName: 'sc',
    volumeMode: 'Block',
  }
  const status = { phase: 'Failed', reason: 'Why' }
  const expected = ['1536Mi', 'RWO,RWX', 'Delete', 'Failed', 'x/y', 'sc', '<unset>', 'Why', '60s', 'Block']
  expect(cells('persistentvolumes', { spec, status })).toEqual(['x', ...expected])
  const annotations = { 'volume.beta.kubernetes.io/storage-class': 'old' }
  const deleted = { metadata: metadata('x', { annotations, deletionTimestamp: ago(1) }), spec, status }
  expect(cells('persistentvolumes', deleted).slice(4, 7)).toEqual(['Terminating', 'x/y', 'old'])
})

test('PersistentVolumeClaim table row: capacity and access modes only when bound to a volume', () => {
  const status = { phase: 'Bound', accessModes: ['ReadWriteOncePod'], capacity: { storage: '2048Mi' } }
  const spec = { storageClassName: 'sc', volumeAttributesClassName: 'vac' }
  expect(cells('persistentvolumeclaims', { spec, status })).toEqual(['x', 'Bound', '', '', '', 'sc', 'vac', '60s', '<unset>'])
  expect(cells('persistentvolumeclaims', { spec: { ...spec, volumeName: 'v' }, status }).slice(2, 5)).toEqual([
    'v',
    '2Gi',
    'RWOP',
  ])
  expect(cells('persistentvolumeclaims', { spec: { volumeName: 'v' } })[3]).toBe('0')
})

test('ResourceQuota table row: requests and limits in separate columns', () => {
  const hard = { 'limits.cpu': '2', 'requests.cpu': '1500m', pods: '10', 'limits.memory': '1Gi' }
  const status = { hard, used: { pods: '3', 'limits.cpu': '0.5' } }
  const expected = ['pods: 3/10, requests.cpu: 0/1500m', 'limits.cpu: 500m/2, limits.memory: 0/1Gi']
  expect(cells('resourcequotas', { status })).toEqual(['x', ...expected, '60s'])
})

test.each<[string, JsonObject, unknown[]]>([
  ['namespaces', { status: { phase: 'Active' } }, ['Active', '60s']],
  ['configmaps', { data: { a: '1' }, binaryData: { b: 'YQ==' } }, [2, '60s']],
  ['secrets', { type: 'Opaque', data: { a: 'YQ==' } }, ['Opaque', 1, '60s']],
  ['serviceaccounts', {}, ['60s']],
  ['limitranges', {}, [ago(60)]],
  [
    'podtemplates',
    {
      template: {
        metadata: { labels: { z: '1', y: '2' } },
        spec: {
          containers: [
            { name: 'a', image: 'i' },
            { name: 'b', image: 'j' },
          ],
        },
      },
    },
    ['a,b', 'i,j', 'y=2,z=1'],
  ],
  [
    'replicationcontrollers',
    { spec: { replicas: 2, selector: { a: '1' } }, status: { replicas: 2, readyReplicas: 1 } },
    [2, 2, 1, '60s', '', '', 'a=1'],
  ],
  [
    'componentstatuses',
    { conditions: [{ type: 'Healthy', status: 'False', message: 'm', error: 'e' }] },
    ['Unhealthy', 'm', 'e'],
  ],
])('%s', (resource, object, expected) => {
  expect(cells(resource, object)).toEqual(['x', ...expected])
})
