import { expect, test } from 'vitest'
import { rawNumber } from '../../go/json.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { scalePrinter } from './autoscaling.ts'
import { ago, cellsOf, metadata, NOW } from './rows.fixture.ts'

const cells = (path: string, object: JsonObject) => cellsOf(path, { metadata: metadata('x'), ...object })

const selector = {
  matchLabels: { a: '1' },
  matchExpressions: [
    { key: 'b', operator: 'NotIn', values: ['y', 'x'] },
    { key: 'c', operator: 'Exists' },
    { key: 'd', operator: 'DoesNotExist' },
  ],
}
const podSpec = {
  containers: [
    { name: 'a', image: 'nginx:1' },
    { name: 'b', image: 'busybox' },
  ],
  nodeSelector: { x: 'y', b: 'c' },
}
const template = { spec: podSpec }
const wide = ['a,b', 'nginx:1,busybox']
const SELECTOR = 'a=1,b notin (x,y),c,!d'

test.each<[string, JsonObject, unknown[]]>([
  [
    'deployments',
    { spec: { replicas: 3, selector, template }, status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 } },
    ['2/3', 3, 1, '60s', ...wide, SELECTOR],
  ],
  ['deployments', { spec: { replicas: 0, selector: {}, template } }, ['0/0', 0, 0, '60s', ...wide, '']],
  [
    'deployments',
    { spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Odd' }] } } },
    ['0/0', 0, 0, '60s', '', '', '<invalid>'],
  ],
  ['replicasets', { spec: { replicas: 1, selector, template }, status: { replicas: 1 } }, [1, 1, 0, '60s', ...wide, SELECTOR]],
  ['replicasets', {}, [0, 0, 0, '60s', '', '', '<none>']],
  [
    'daemonsets',
    {
      spec: { selector, template },
      status: {
        desiredNumberScheduled: 3,
        currentNumberScheduled: 1,
        numberReady: 2,
        updatedNumberScheduled: 4,
        numberAvailable: 5,
      },
    },
    [3, 1, 2, 4, 5, 'b=c,x=y', '60s', ...wide, SELECTOR],
  ],
  ['statefulsets', { spec: { replicas: 2, template }, status: { readyReplicas: 1 } }, ['1/2', '60s', ...wide]],
])('table row of %s %j', (resource, object, expected) => {
  expect(cells(`apps/v1/${resource}`, object)).toEqual(['x', ...expected])
})

test('a ControllerRevision row has its controller and a 64-bit revision', () => {
  const owned = (apiVersion: string, kind: string) =>
    metadata('x', { ownerReferences: [{ apiVersion, kind, name: 'd', controller: true }] })
  const path = 'apps/v1/controllerrevisions'
  expect(cells(path, { metadata: owned('apps/v1', 'StatefulSet'), revision: 3 })).toEqual(['x', 'statefulset.apps/d', 3, '60s'])
  expect(cells(path, { metadata: owned('v1', 'PodTemplate') })[1]).toBe('podtemplate/d')
  const revision = rawNumber('9007199254740993')
  expect(cells(path, { revision })).toEqual(['x', '<none>', revision, '60s'])
})

const holding = (...types: string[]): JsonObject[] => types.map((type) => ({ type, status: 'True' }))

test.each<[string, JsonObject, unknown[]]>([
  [
    'runs',
    { spec: { completions: 3, parallelism: 2 }, status: { startTime: ago(780), succeeded: 1 } },
    ['Running', '1/3', '13m'],
  ],
  ['is suspended', { spec: { parallelism: 4 }, status: { conditions: holding('Suspended') } }, ['Suspended', '0/1 of 4', '']],
  [
    'is complete',
    {
      spec: { completions: 1 },
      status: {
        startTime: ago(700),
        completionTime: ago(100),
        succeeded: 1,
        conditions: holding('SuccessCriteriaMet', 'Complete'),
      },
    },
    ['Complete', '1/1', '10m'],
  ],
  ['is failing', { spec: {}, status: { conditions: holding('FailureTarget') } }, ['FailureTarget', '0/1', '']],
  ['has failed', { spec: {}, status: { conditions: holding('FailureTarget', 'Failed') } }, ['Failed', '0/1', '']],
  ['is being deleted', { metadata: metadata('x', { deletionTimestamp: ago(1) }) }, ['Terminating', '0/1', '']],
])('Job table row: a Job that %s', (_, job, expected) => {
  expect(cells('batch/v1/jobs', job)).toEqual(['x', ...expected, '60s', '', '', '<none>'])
})

test('CronJob table row', () => {
  const jobTemplate = { spec: { template } }
  expect(cells('batch/v1/cronjobs', { spec: { schedule: '* * * * *', suspend: false, jobTemplate } })).toEqual([
    'x',
    '* * * * *',
    '<none>',
    'False',
    0,
    '<none>',
    '60s',
    ...wide,
    '<none>',
  ])
  const spec = { schedule: '@daily', timeZone: 'Europe/Berlin', suspend: true }
  const status = { lastScheduleTime: ago(3780), active: [{ name: 'a' }, { name: 'b' }] }
  expect(cells('batch/v1/cronjobs', { spec, status }).slice(1, 6)).toEqual(['@daily', 'Europe/Berlin', 'True', 2, '63m'])
})

const metric = (type: string, source: JsonObject): JsonObject => ({
  type,
  [type.charAt(0).toLowerCase() + type.slice(1)]: source,
})
const utilization = (averageUtilization: number): JsonObject => ({ averageUtilization })

test.each<[JsonObject[], JsonObject[], string]>([
  [[], [], '<none>'],
  [[metric('Resource', { name: 'cpu', target: utilization(80) })], [], 'cpu: <unknown>/80%'],
  [[metric('Resource', { name: 'cpu', target: {} })], [], 'cpu: <unknown>/<auto>'],
  [
    [
      metric('Resource', { name: 'cpu', target: utilization(50) }),
      metric('Resource', { name: 'memory', target: { averageValue: '1000Mi' } }),
      metric('Pods', { target: { averageValue: '10' } }),
    ],
    [metric('Resource', { name: 'cpu', current: utilization(33) }), metric('Resource', { current: { averageValue: '1500' } })],
    'cpu: 33%/50%, memory: 1500/1000Mi + 1 more...',
  ],
  [[metric('Pods', { target: { averageValue: '10' } })], [metric('Pods', { current: { averageValue: '3' } })], '3/10'],
  [
    [metric('External', { target: { value: '30' } }), metric('External', { target: { averageValue: '30' } })],
    [metric('External', { current: { value: '5' } }), metric('External', { current: { value: '5' } })],
    '5/30, <unknown>/30 (avg)',
  ],
  [
    [metric('Object', { target: { value: '30' } }), metric('Object', { target: { averageValue: '3000m' } })],
    [metric('Object', { current: { averageValue: '5' } }), metric('Object', { current: { averageValue: '5' } })],
    '<nil>/30, 5/3 (avg)',
  ],
  [
    [
      metric('ContainerResource', { name: 'cpu', target: utilization(5) }),
      metric('ContainerResource', { name: 'memory', target: { averageValue: '1k' } }),
    ],
    [metric('ContainerResource', { current: { averageValue: '4' } }), metric('ContainerResource', { current: utilization(2) })],
    'cpu: <unknown>/5%, memory: <nil>/1k',
  ],
  [[{ type: 'Odd' }], [], '<unknown type>'],
])('HorizontalPodAutoscaler table row with the metrics %j, currently %j', (metrics, currentMetrics, targets) => {
  const scaleTargetRef = { kind: 'Deployment', name: 'd' }
  const autoscaler = {
    spec: { scaleTargetRef, maxReplicas: 3, metrics },
    status: { currentReplicas: 2, currentMetrics },
  }
  expect(cells('autoscaling/v2/horizontalpodautoscalers', autoscaler)).toEqual([
    'x',
    'Deployment/d',
    targets,
    '<unset>',
    3,
    2,
    '60s',
  ])
})

test('Scale table row: desired and current replicas', () => {
  const scale = { metadata: metadata('x'), spec: { replicas: 3 }, status: { replicas: 2 } }
  expect(scalePrinter.row(scale, NOW).cells).toEqual(['x', 3, 2, '60s'])
  expect(scalePrinter.columns.map(({ name }) => name)).toEqual(['Name', 'Desired', 'Available', 'Age'])
})
