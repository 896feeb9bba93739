import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../go/json-value.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { decode } from '../../../schema/decode.ts'
import { applyKindDefaults } from '../../defaulting/defaults.ts'
import type { Pod } from '../../generated/types/core.v1.ts'
import { kindOf } from '../../scheme.ts'
import { validatePod, validatePodUpdate } from './pod.ts'

function pod(spec: JsonObject): Pod {
  const kind = kindOf('', 'v1', 'pods')
  if (kind === undefined) throw new Error('no pods')
  const { object } = decode(kind.type, { metadata: { name: 'p' }, spec })
  const decoded = object as unknown as KubernetesObject
  applyKindDefaults(kind, decoded)
  return decoded as Pod
}

const container = { name: 'c', image: 'i' }
const messagesOf = (errors: readonly { field: string; text: string }[]): string[] =>
  errors.map(({ field, text }) => `${field}: ${text}`)

/** [name, spec, errors of kube-apiserver 1.36]. */
const invalid: readonly (readonly [name: string, spec: JsonObject, expected: readonly string[]])[] = [
  ['nothing', {}, ['spec.containers: Required value']],
  [
    'names',
    { containers: [{ name: '', image: '' }, container, { ...container, name: 'c' }] },
    [
      'spec.containers[0].name: Required value',
      'spec.containers[0].image: Required value',
      'spec.containers[2].name: Duplicate value: "c"',
    ],
  ],
  [
    'ports',
    { containers: [{ ...container, ports: [{ containerPort: 0 }, { containerPort: 70000, protocol: 'ICMP' }] }] },
    [
      'spec.containers[0].ports[0].containerPort: Required value',
      'spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'spec.containers[0].ports[1].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
    ],
  ],
  [
    'mounts',
    { containers: [{ ...container, volumeMounts: [{ name: 'none', mountPath: '/a' }] }] },
    ['spec.containers[0].volumeMounts[0].name: Not found: "none"'],
  ],
  [
    'volumes',
    { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }], containers: [container] },
    ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'resources',
    { containers: [{ ...container, resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } }] },
    ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
  ],
  [
    'probes',
    { containers: [{ ...container, livenessProbe: { successThreshold: 2 } }] },
    [
      'spec.containers[0].livenessProbe: Required value: must specify a handler type',
      'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
    ],
  ],
  [
    'policies',
    { restartPolicy: 'Sometimes', dnsPolicy: 'None', containers: [container] },
    [
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      'spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None',
    ],
  ],
  [
    'tolerations',
    { tolerations: [{ value: 'v' }], containers: [container] },
    [
      'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  ],
]

describe('validatePod', () => {
  test.each(invalid.map(([name, spec, expected]) => ({ name, spec, expected })))('$name', ({ spec, expected }) => {
    expect(messagesOf(validatePod(pod(spec)))).toEqual(expected)
  })

  test('a valid Pod has no errors', () => {
    expect(validatePod(pod({ containers: [container], volumes: [{ name: 'v' }] }))).toEqual([])
  })
})

describe('validatePodUpdate', () => {
  const old = pod({ containers: [container], activeDeadlineSeconds: 10 })

  test.each<{ name: string; spec: JsonObject; expected: RegExp | undefined }>([
    {
      name: 'the image may change',
      spec: { containers: [{ ...container, image: 'j' }], activeDeadlineSeconds: 9 },
      expected: undefined,
    },
    {
      name: 'the deadline may not grow',
      spec: { containers: [container], activeDeadlineSeconds: 11 },
      expected: /^spec.activeDeadlineSeconds: Invalid value: 11: must be less than or equal to previous value$/,
    },
    {
      name: 'containers stay',
      spec: { containers: [container, { ...container, name: 'd' }], activeDeadlineSeconds: 10 },
      expected: /^spec.containers: Forbidden: pod updates may not add or remove containers$/,
    },
    {
      name: 'the rest stays',
      spec: { containers: [{ ...container, command: ['x'] }], activeDeadlineSeconds: 10 },
      expected: /^spec: Forbidden: pod updates may not change fields other than /,
    },
  ])('$name', ({ spec, expected }) => {
    const [error] = messagesOf(validatePodUpdate(pod(spec), old))
    if (expected === undefined) expect(error).toBeUndefined()
    else expect(error).toMatch(expected)
  })

  test.each([[5000], [5001]])('%i more volumes are an error without a diff', (length) => {
    const volumes = Array.from({ length }, (_none, index) => ({ name: `v${index}`, emptyDir: {} }))
    const large = pod({ containers: [container], activeDeadlineSeconds: 10, volumes })
    const expected = /^spec: Forbidden: pod updates may not change [^\n]*\n$/
    expect(messagesOf(validatePodUpdate(large, old)).at(-1)).toMatch(expected)
    expect(messagesOf(validatePodUpdate(old, large)).at(-1)).toMatch(expected)
  })
})
