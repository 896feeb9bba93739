import { expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { WarningRecorder } from '../../meta/warnings.ts'
import { decode } from '../../schema/decode.ts'
import { applyKindDefaults } from '../defaulting/defaults.ts'
import { kindOf } from '../scheme.ts'
import type { Warn } from './warn.ts'
import { warningsOf } from './warnings.ts'

function made(group: string, resource: string, object: JsonObject): KubernetesObject {
  const kind = kindOf(group, 'v1', resource)
  if (kind === undefined) throw new Error(`no ${resource}`)
  const decoded = decode(kind.type, object).object as unknown as KubernetesObject
  applyKindDefaults(kind, decoded)
  return decoded
}

/** Returns the warnings for a write of a kind. */
function told(prefix: string, write: Parameters<Warn>[0]): readonly string[] {
  const warnings = new WarningRecorder()
  warningsOf(prefix)?.(write, warnings)
  return warnings.texts
}

const pod = (spec: JsonObject, metadata: JsonObject = {}): readonly string[] =>
  told('pods', { object: made('', 'pods', { metadata: { name: 'p', ...metadata }, spec }), subresource: '' })

const container = { name: 'c', image: 'i' }
const withContainer = (more: JsonObject): JsonObject => ({ containers: [{ ...container, ...more }] })

/** [spec, warnings of kube-apiserver 1.36]. */
test.each<[string, JsonObject, string[]]>([
  ['nothing', withContainer({}), []],
  [
    'duplicate environment variables, and one that refers to the other',
    withContainer({
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
        { name: 'A', value: '$(A)3' },
      ],
    }),
    ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
  ],
  [
    'duplicate ports',
    {
      containers: [
        { ...container, ports: [{ name: 'web', containerPort: 80 }] },
        { name: 'd', image: 'i', ports: [{ name: 'web', containerPort: 80, hostPort: 80 }] },
      ],
    },
    [
      'spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[0]',
      'spec.containers[1].ports[0]: duplicate port name "web" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
    ],
  ],
  [
    'hostIP set without hostPort',
    withContainer({ ports: [{ containerPort: 80, hostIP: '1.2.3.4' }] }),
    ['spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.2.3.4}'],
  ],
  [
    'fractional byte value',
    withContainer({ resources: { requests: { memory: '0.5', cpu: '0.5' } } }),
    ['spec.containers[0].resources.requests[memory]: fractional byte value "500m" is invalid, must be an integer'],
  ],
  ['no warning for whole exabytes', withContainer({ resources: { requests: { memory: '1E' } } }), []],
  [
    'deprecated node labels',
    { ...withContainer({}), nodeSelector: { 'beta.kubernetes.io/os': 'linux' } },
    ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
  ],
  [
    'topology spread constraint without labelSelector',
    { ...withContainer({}), topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' }] },
    ['spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod'],
  ],
  [
    'overlapping paths in volumes',
    {
      ...withContainer({}),
      volumes: [
        {
          name: 'v',
          configMap: {
            name: 'm',
            items: [
              { key: 'a', path: 'd' },
              { key: 'b', path: 'd/e' },
            ],
          },
        },
      ],
    },
    ['volume "v" (ConfigMap "m"): overlapping paths: "d/e" with "d"'],
  ],
  [
    'deprecated volume type',
    { ...withContainer({}), volumes: [{ name: 'v', rbd: { monitors: ['m'], image: 'i' } }] },
    ['spec.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+'],
  ],
  // Defaulting has set it to 1; only templates keep it.
  ['negative terminationGracePeriodSeconds', { ...withContainer({}), terminationGracePeriodSeconds: -1 }, []],
  [
    'duplicate IP addresses',
    { ...withContainer({}), hostAliases: [{ ip: '1.2.3.4' }, { ip: '1.2.3.4' }] },
    ['spec.hostAliases[1].ip: duplicate ip "1.2.3.4"'],
  ],
])('warnings of a Pod: %s', (_what, spec, expected) => {
  expect(pod(spec)).toEqual(expected)
})

test('warning for a Pod name that is not a DNS label', () => {
  expect(pod(withContainer({}), { name: 'a.b' })).toEqual([
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
  ])
})

test('warnings of pod templates have their field path, and are sent only if the object changes', () => {
  const spec = { selector: {}, template: { spec: { ...withContainer({}), terminationGracePeriodSeconds: -1 } } }
  const object = made('apps', 'deployments', { metadata: { name: 'd', generation: 1 }, spec })
  const changed = { ...object, metadata: { ...object.metadata, generation: 2 } }
  const warn = (write: Parameters<Warn>[0]): readonly string[] => told('deployments.apps', write)
  const text =
    'spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1'
  expect(warn({ object, subresource: '' })).toEqual([text])
  expect(warn({ object: changed, old: object, subresource: '' })).toEqual([text])
  expect(warn({ object, old: object, subresource: '' })).toEqual([])
  expect(warn({ object: changed, old: object, subresource: 'status' })).toEqual([])
})
