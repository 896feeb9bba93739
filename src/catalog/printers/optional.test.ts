import { expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import { ago, cellsOf, metadata } from './rows.fixture.ts'

const holds = (type: string): JsonObject => ({ type, status: 'True', reason: `${type}Reason`, lastTransitionTime: ago(30) })
const pools: JsonObject[] = [
  { totalDevices: 5, availableDevices: 2, allocatedDevices: 2, unavailableDevices: 1 },
  { validationError: 'x' },
]

/** Rows of [kind, object without metadata, cells]. */
const rows: [string, JsonObject, unknown[]][] = [
  ['certificates.k8s.io/v1beta1/clustertrustbundles', { spec: {} }, ['x', '<none>']],
  [
    'coordination.k8s.io/v1beta1/leasecandidates',
    { spec: { leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.35.0' } },
    ['x', 'l', '1.36.0', '1.35.0', '60s'],
  ],
  [
    'resource.k8s.io/v1beta2/devicetaintrules',
    { spec: { taint: { key: 'k', value: 'v', effect: 'NoSchedule', timeAdded: ago(30) } } },
    ['x', 'k', 'v', 'NoSchedule', '30s', '60s'],
  ],
  [
    'certificates.k8s.io/v1beta1/podcertificaterequests',
    {
      spec: { podName: 'p', serviceAccountName: 'a', nodeName: 'n', signerName: 's/s', unverifiedUserAnnotations: { k: 'v' } },
      status: { conditions: [holds('Issued')] },
    },
    ['x', 'p', 'a', 'n', 's/s', 'Issued', 'k=v'],
  ],
  [
    'scheduling.k8s.io/v1alpha2/podgroups',
    { spec: { schedulingPolicy: { gang: { minCount: 2 } } } },
    ['x', 'Gang', '<none>', 'Pending', '60s'],
  ],
  [
    'scheduling.k8s.io/v1alpha2/podgroups',
    {
      spec: { podGroupTemplateRef: { workload: { workloadName: 'w' } } },
      status: { conditions: [holds('PodGroupScheduled'), holds('DisruptionTarget')] },
    },
    ['x', 'Basic', 'w', 'DisruptionTargetReason', '60s'],
  ],
  ['scheduling.k8s.io/v1alpha2/workloads', {}, ['x', '60s']],
  [
    'resource.k8s.io/v1alpha3/resourcepoolstatusrequests',
    { spec: { driver: 'd' } },
    ['x', 'd', '-', '-', '-', '-', '-', 0, 'Pending', '<none>'],
  ],
  [
    'resource.k8s.io/v1alpha3/resourcepoolstatusrequests',
    { spec: { driver: 'd' }, status: { poolCount: 3, pools, conditions: [holds('Complete')] } },
    ['x', 'd', '5', '2', '2', '1', '1', 3, 'Complete (2/3 pools)', '30s'],
  ],
  [
    'storagemigration.k8s.io/v1beta1/storageversionmigrations',
    { spec: { resource: { group: 'apps', resource: 'deployments' } }, status: { conditions: [holds('Running')] } },
    ['x', 'deployments.apps', 'Running'],
  ],
  [
    'internal.apiserver.k8s.io/v1alpha1/storageversions',
    { status: { storageVersions: [{ apiServerID: 'a', encodingVersion: 'apps/v1' }] } },
    ['x', '<unset>', 'a=apps/v1', '60s'],
  ],
  [
    'policy/v1beta1/podsecuritypolicies',
    {
      spec: {
        privileged: true,
        allowedCapabilities: ['A', 'B'],
        seLinux: { rule: 'RunAsAny' },
        runAsUser: { rule: 'MustRunAs' },
        fsGroup: { rule: 'RunAsAny' },
        supplementalGroups: { rule: 'RunAsAny' },
        volumes: ['*'],
      },
    },
    ['x', 'true', 'A,B', 'RunAsAny', 'MustRunAs', 'RunAsAny', 'RunAsAny', 'false', '*'],
  ],
]

test.each(rows)('the row of %s %j', (path, object, cells) => {
  expect(cellsOf(path, { metadata: metadata('x'), ...object })).toEqual(cells)
})
