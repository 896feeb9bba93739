import { describe, expect, test } from 'vitest'
import type { LimitRangeItem, PersistentVolumeClaim, Pod, ResourceList } from '../../../catalog/generated/types/core.v1.ts'
import { setDefaults } from './defaults.ts'
import { claimRefusals, podRefusals } from './limits.ts'

type Spec = Omit<Pod['spec'], 'containers' | 'initContainers'>

interface Sent {
  readonly name?: string
  readonly requests?: ResourceList
  readonly limits?: ResourceList
  readonly restartPolicy?: string
}

const container = ({ name = 'c', restartPolicy, ...resources }: Sent) => ({
  name,
  image: 'i',
  resources,
  ...(restartPolicy !== undefined && { restartPolicy }),
})

const pod = (containers: readonly Sent[], initContainers: readonly Sent[] = [], spec: Spec = {}): Pod =>
  ({
    metadata: {},
    spec: { ...spec, containers: containers.map(container), initContainers: initContainers.map(container) },
    status: {},
  }) as Pod

const refusals = (item: LimitRangeItem, ...parts: Parameters<typeof pod>): string[] =>
  podRefusals(pod(...parts), { limits: [item] })

const cpu = (amount: string): Sent => ({ requests: { cpu: amount }, limits: { cpu: amount } })
const sidecar = (amount: string): Sent => ({ ...cpu(amount), restartPolicy: 'Always' })

describe('LimitRanges of containers', () => {
  test.each<[LimitRangeItem, Sent, string[]]>([
    [{ type: 'Container', min: { cpu: '50m' } }, cpu('50m'), []],
    [{ type: 'Container', min: { cpu: '50m' } }, {}, ['minimum cpu usage per Container is 50m.  No request is specified']],
    [{ type: 'Container', min: { cpu: '50m' } }, cpu('49m'), ['minimum cpu usage per Container is 50m, but request is 49m']],
    [
      { type: 'Container', min: { cpu: '50m' } },
      { requests: { cpu: '1' }, limits: { cpu: '49m' } },
      ['minimum cpu usage per Container is 50m, but limit is 49m'],
    ],
    [{ type: 'Container', max: { cpu: '1' } }, cpu('1'), []],
    [{ type: 'Container', max: { cpu: '1' } }, {}, ['maximum cpu usage per Container is 1.  No limit is specified']],
    [{ type: 'Container', max: { cpu: '1' } }, cpu('1001m'), ['maximum cpu usage per Container is 1, but limit is 1001m']],
    [
      { type: 'Container', max: { cpu: '1' } },
      { requests: { cpu: '2' }, limits: { cpu: '1' } },
      ['maximum cpu usage per Container is 1, but request is 2'],
    ],
    // A millionth of a CPU is rounded up to a thousandth.
    [{ type: 'Container', max: { cpu: '1m' } }, cpu('1u'), []],
    [{ type: 'Container', maxLimitRequestRatio: { cpu: '1.5' } }, { requests: { cpu: '2m' }, limits: { cpu: '3m' } }, []],
    [
      { type: 'Container', maxLimitRequestRatio: { cpu: '3' } },
      { requests: { cpu: '3m' }, limits: { cpu: '10m' } },
      ['cpu max limit to request ratio per Container is 3, but provided ratio is 3.333333'],
    ],
    [
      { type: 'Container', maxLimitRequestRatio: { cpu: '3' } },
      { requests: { cpu: '0' }, limits: { cpu: '10m' } },
      ['cpu max limit to request ratio per Container is 3, but no request is specified or request is 0'],
    ],
    [
      { type: 'Container', maxLimitRequestRatio: { cpu: '3' } },
      { requests: { cpu: '3m' } },
      ['cpu max limit to request ratio per Container is 3, but no limit is specified or limit is 0'],
    ],
  ])('%j with %j', (item, sent, texts) => {
    expect(refusals(item, [sent])).toEqual(texts)
  })

  test('init containers are bounded after containers', () => {
    const item = { type: 'Container', max: { cpu: '1' } }
    expect(refusals(item, [cpu('2')], [cpu('3')])).toEqual([
      'maximum cpu usage per Container is 1, but limit is 2',
      'maximum cpu usage per Container is 1, but limit is 3',
    ])
  })
})

describe('LimitRanges of Pods', () => {
  const item = { type: 'Pod', max: { cpu: '1' } }
  const above = (amount: string): string[] => [`maximum cpu usage per Pod is 1, but limit is ${amount}`]

  test.each<[string, Parameters<typeof pod>, string[]]>([
    ['the sum of containers', [[cpu('600m'), cpu('600m')]], above('1200m')],
    ['the highest init container', [[cpu('100m')], [cpu('600m'), cpu('600m')]], []],
    ['containers and sidecars', [[cpu('600m')], [sidecar('600m')]], above('1200m')],
    ['an init container after a sidecar', [[cpu('1m')], [sidecar('600m'), cpu('600m')]], above('1200m')],
    ['an init container before a sidecar', [[cpu('1m')], [cpu('600m'), sidecar('600m')]], []],
    ['resources of the Pod', [[cpu('100m')], [], { resources: { limits: { cpu: '2' } } }], above('2')],
    ['fewer resources of the Pod', [[cpu('2')], [], { resources: { limits: { cpu: '1' }, requests: { cpu: '1' } } }], []],
  ])('%s', (_title, parts, texts) => {
    expect(refusals(item, ...parts)).toEqual(texts)
  })

  test('an init container with a request of zero has a request', () => {
    const texts = refusals({ type: 'Pod', min: { cpu: '1' } }, [{}], [cpu('0')])
    expect(texts).toEqual(['minimum cpu usage per Pod is 1, but request is 0'])
  })
})

test('only requests of a PersistentVolumeClaim are bounded', () => {
  const resources = { requests: { storage: '3Gi' }, limits: { storage: '9Gi' } }
  const claim: PersistentVolumeClaim = { metadata: {}, spec: { resources }, status: {} }
  const bounded = (item: Partial<LimitRangeItem>): string[] =>
    claimRefusals(claim, { limits: [{ type: 'PersistentVolumeClaim', ...item }] })
  expect(bounded({ min: { storage: '1Gi' }, max: { storage: '3Gi' } })).toEqual([])
  expect(bounded({ min: { storage: '4Gi' } })).toEqual([
    'minimum storage usage per PersistentVolumeClaim is 4Gi, but request is 3Gi',
  ])
  expect(bounded({ max: { storage: '2Gi' } })).toEqual([
    'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
  ])
})

describe('defaults of a LimitRange', () => {
  const range = {
    limits: [{ type: 'Container', default: { memory: '2Gi', cpu: '1' }, defaultRequest: { memory: '1Gi' } }],
  }

  test('requests and limits that a container has remain', () => {
    const changed = pod([{ limits: { cpu: '2', 'ephemeral-storage': '1' } }])
    setDefaults(changed, range)
    expect(changed.spec.containers?.[0]?.resources).toEqual({
      limits: { cpu: '2', 'ephemeral-storage': '1', memory: '2Gi' },
      requests: { memory: '1Gi' },
    })
  })

  test('the annotation names the added resources of each container', () => {
    const changed = pod(
      [{ name: 'a' }, { name: 'b', requests: { memory: '1' } }],
      [{ name: 'i', limits: { cpu: '1', memory: '1' } }],
    )
    setDefaults(changed, range)
    expect(changed.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: memory request for container a; cpu, memory limit for container a; cpu, memory limit for container b; memory request for init container i',
    })
  })

  test('a Pod with all resources gets no annotation', () => {
    const changed = pod([{ limits: { cpu: '2', memory: '1' }, requests: { memory: '1' } }])
    setDefaults(changed, range)
    expect(changed.metadata.annotations).toBeUndefined()
  })
})
