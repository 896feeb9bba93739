import { expect, test } from 'vitest'
import type { JsonObject } from '../../../go/json-value.ts'
import { ago, metadata, rowOf } from '../rows.fixture.ts'

const containers = [{ name: 'a' }, { name: 'b' }]
const initContainers = [{ name: 'i1' }, { name: 'i2' }, { name: 's', restartPolicy: 'Always' }]

const running = { running: {} }
const waiting = (reason: string): JsonObject => ({ waiting: { reason } })
const ended = (exitCode: number, more: JsonObject = {}): JsonObject => ({
  terminated: { exitCode, finishedAt: ago(400), ...more },
})
const completed = ended(0, { reason: 'Completed' })
const status = (name: string, state: JsonObject, more: JsonObject = {}): JsonObject => ({ name, state, restartCount: 0, ...more })
const up = (name: string): JsonObject => status(name, running, { ready: true })

function rowOfPod(status: JsonObject, spec: JsonObject = {}, meta: JsonObject = {}) {
  return rowOf('/v1/pods', { metadata: metadata('p', meta), spec: { containers, ...spec }, status })
}

/** Returns the cells Ready, Status and Restarts. */
const stateOf = (...podStatus: Parameters<typeof rowOfPod>) => rowOfPod(...podStatus).cells.slice(1, 4)

test('Pod table row with the wide columns IP, Node, Nominated Node and Readiness Gates', () => {
  const status = { phase: 'Running', podIP: '10.1.1.1', podIPs: [{ ip: '10.1.1.1' }], nominatedNodeName: 'm' }
  const wide = ['10.1.1.1', 'n', 'm', '<none>']
  expect(rowOfPod(status, { nodeName: 'n' })).toEqual({ cells: ['p', '0/2', 'Running', '0', '60s', ...wide] })
  expect(rowOfPod({ phase: 'Pending' }).cells.slice(5)).toEqual(['<none>', '<none>', '<none>', '<none>'])
})

test('the Readiness Gates column counts the gates that are open', () => {
  const conditions = [
    { type: 'x.io/a', status: 'True' },
    { type: 'x.io/b', status: 'False' },
  ]
  const readinessGates = [{ conditionType: 'x.io/a' }, { conditionType: 'x.io/b' }, { conditionType: 'x.io/c' }]
  expect(rowOfPod({ phase: 'Running', conditions }, { readinessGates }).cells.at(-1)).toBe('1/3')
})

test.each<[string, JsonObject, unknown[]]>([
  ['waits', { containerStatuses: [up('a'), status('b', waiting('CrashLoopBackOff'))] }, ['1/2', 'CrashLoopBackOff', '0']],
  [
    'has terminated',
    { containerStatuses: [status('a', ended(2)), status('b', ended(0, { signal: 9 }))] },
    ['0/2', 'ExitCode:2', '0'],
  ],
  [
    'was terminated by a signal',
    { containerStatuses: [status('a', ended(0, { signal: 9 })), up('b')] },
    ['1/2', 'Signal:9', '0'],
  ],
  [
    'has completed while another runs, in a ready Pod',
    { conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [status('a', completed), up('b')] },
    ['1/2', 'Running', '0'],
  ],
  [
    'has completed while another runs, in a Pod that is not ready',
    { conditions: [{ type: 'Ready', status: 'False' }], containerStatuses: [status('a', completed), up('b')] },
    ['1/2', 'NotReady', '0'],
  ],
  [
    'has completed and another has failed',
    { containerStatuses: [status('a', completed), status('b', ended(1, { reason: 'Error' }))] },
    ['0/2', 'Error', '0'],
  ],
])('the first container determines the status of the Pod: it %s', (_, podStatus, cells) => {
  expect(stateOf({ phase: 'Running', ...podStatus })).toEqual(cells)
})

test('the Restarts column has the number of restarts and the time of the last one', () => {
  const restarted = (name: string, restartCount: number, seconds: number) =>
    status(name, running, { ready: true, restartCount, lastState: ended(1, { finishedAt: ago(seconds) }) })
  const shown = ['2/2', 'Running', '7 (25h ago)']
  const podStatus = (...containerStatuses: JsonObject[]) => stateOf({ phase: 'Running', containerStatuses })
  expect(podStatus({ ...up('a'), restartCount: 3 }, restarted('b', 4, 90_000))).toEqual(shown)
  expect(podStatus(restarted('a', 3, 90_000), restarted('b', 4, 900_000))).toEqual(shown)
  expect(podStatus(restarted('a', 3, 900_000), restarted('b', 4, 90_000))).toEqual(shown)
})

const failedOnce = { restartCount: 2, lastState: ended(1) }

test.each<[string, JsonObject[], unknown[]]>([
  ['runs', [status('i1', running)], ['0/3', 'Init:0/3', '0']],
  ['waits for an earlier one', [status('i1', ended(0)), status('i2', waiting('PodInitializing'))], ['0/3', 'Init:1/3', '0']],
  ['waits without a reason', [status('i1', { waiting: {} })], ['0/3', 'Init:0/3', '0']],
  ['waits with a reason', [status('i1', waiting('ErrImagePull'))], ['0/3', 'Init:ErrImagePull', '0']],
  ['was restarted', [status('i1', ended(0), failedOnce), status('i2', running)], ['0/3', 'Init:1/3', '2 (6m40s ago)']],
  ['has failed', [status('i1', ended(1, { reason: 'Error' }))], ['0/3', 'Init:Error', '0']],
  ['has terminated with an exit code', [status('i1', ended(5))], ['0/3', 'Init:ExitCode:5', '0']],
  ['has terminated by a signal', [status('i1', ended(5, { signal: 15 }))], ['0/3', 'Init:Signal:15', '0']],
])('an init container determines the status of the Pod: it %s', (_, initContainerStatuses, cells) => {
  const containerStatuses = [status('a', waiting('PodInitializing'))]
  expect(stateOf({ phase: 'Pending', initContainerStatuses, containerStatuses }, { initContainers })).toEqual(cells)
})

test('a sidecar counts as a container, and its restarts count with those of the containers', () => {
  const sidecar = status('s', running, { ready: true, started: true, restartCount: 2, lastState: ended(1) })
  const podStatus = (started: JsonObject) => ({
    phase: 'Running',
    initContainerStatuses: [status('i1', ended(0)), status('i2', ended(0), { restartCount: 7 }), started],
    containerStatuses: [up('a'), up('b')],
  })
  expect(stateOf(podStatus(sidecar), { initContainers })).toEqual(['3/3', 'Running', '2 (6m40s ago)'])
  expect(stateOf(podStatus({ ...sidecar, started: false }), { initContainers })).toEqual(['0/3', 'Init:2/3', '9 (6m40s ago)'])
  const initialized = { ...podStatus(status('s', ended(3))), conditions: [{ type: 'Initialized', status: 'True' }] }
  expect(stateOf(initialized, { initContainers })).toEqual(['2/3', 'Init:ExitCode:3', '0'])
})

test('a Pod that is being deleted is Terminating, unless it has ended or its node is lost', () => {
  const deleted = { deletionTimestamp: ago(1) }
  expect(stateOf({ phase: 'Running' }, {}, deleted)[1]).toBe('Terminating')
  expect(stateOf({ phase: 'Running', reason: 'NodeLost' }, {}, deleted)[1]).toBe('Unknown')
  expect(stateOf({ phase: 'Succeeded' }, {}, deleted)[1]).toBe('Succeeded')
})

test("the status' reason takes precedence over the phase, SchedulingGated over both", () => {
  expect(stateOf({ phase: 'Failed', reason: 'Evicted' })[1]).toBe('Evicted')
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }]
  expect(stateOf({ phase: 'Pending', conditions })[1]).toBe('SchedulingGated')
})

test('a Pod that has ended has the row condition Completed', () => {
  const completedRow = (reason: string, message: string) => [{ type: 'Completed', status: 'True', reason, message }]
  expect(rowOfPod({ phase: 'Succeeded' }).conditions).toEqual(completedRow('Succeeded', 'The pod has completed successfully.'))
  expect(rowOfPod({ phase: 'Failed' }).conditions).toEqual(completedRow('Failed', 'The pod failed.'))
})
