/** Generates Pods whose resources, states and scopes differ in all ways that matter to quotas. */
import fc from 'fast-check'

const amount = fc.constantFrom(
  '1',
  '100m',
  '250m',
  '0.5',
  '1.5',
  '2',
  '1k',
  '64Mi',
  '1Gi',
  '1500M',
  '1e3',
  '100n',
  '9E',
  '12345678901234567890',
  '0',
)
const resourceName = fc.constantFrom(
  ...['cpu', 'memory', 'ephemeral-storage', 'hugepages-2Mi', 'hugepages-1Gi', 'example.com/gpu', 'requests.example.com/odd'],
  ...['kubernetes.io/native', 'deviceclass.resource.kubernetes.io/gpu', 'storage'],
)
const list = fc.dictionary(resourceName, amount, { maxKeys: 4, noNullPrototype: true })
const requirements = fc.record({ requests: list, limits: list }, { requiredKeys: [], noNullPrototype: true })
const name = fc.constantFrom('a', 'b', 'c', 'd')

const container = fc.record(
  { name, image: fc.constant('i'), resources: requirements },
  { requiredKeys: ['name', 'image', 'resources'], noNullPrototype: true },
)
const initContainer = fc.record(
  { name, image: fc.constant('i'), resources: requirements, restartPolicy: fc.constantFrom('Always') },
  { requiredKeys: ['name', 'image', 'resources'], noNullPrototype: true },
)
const containerStatus = fc.record(
  {
    name,
    ready: fc.constant(true),
    restartCount: fc.constant(0),
    image: fc.constant('i'),
    imageID: fc.constant(''),
    resources: requirements,
    allocatedResources: list,
  },
  { requiredKeys: ['name', 'ready', 'restartCount', 'image', 'imageID'], noNullPrototype: true },
)
const term = fc.record(
  { topologyKey: fc.constant('k'), namespaces: fc.constantFrom([], ['x']), namespaceSelector: fc.constant({}) },
  { requiredKeys: ['topologyKey'], noNullPrototype: true },
)
const terms = fc.record(
  {
    requiredDuringSchedulingIgnoredDuringExecution: fc.array(term, { maxLength: 2 }),
    preferredDuringSchedulingIgnoredDuringExecution: fc.array(
      term.map((podAffinityTerm) => ({ weight: 1, podAffinityTerm })),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
)

const spec = fc.record(
  {
    containers: fc.uniqueArray(container, { minLength: 1, maxLength: 3, selector: (one) => one.name }),
    initContainers: fc.uniqueArray(initContainer, { maxLength: 3, selector: (one) => one.name }),
    overhead: list,
    resources: requirements,
    activeDeadlineSeconds: fc.constantFrom(0, 60),
    priorityClassName: fc.constantFrom('high', ''),
    affinity: fc.record({ podAffinity: terms, podAntiAffinity: terms }, { requiredKeys: [], noNullPrototype: true }),
  },
  { requiredKeys: ['containers'], noNullPrototype: true },
)
const status = fc.record(
  {
    phase: fc.constantFrom('Pending', 'Running', 'Running', 'Running', 'Succeeded', 'Failed'),
    containerStatuses: fc.uniqueArray(containerStatus, { maxLength: 2, selector: (one) => one.name }),
    initContainerStatuses: fc.uniqueArray(containerStatus, { maxLength: 2, selector: (one) => one.name }),
    conditions: fc.constantFrom(
      [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
      [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }],
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
)
const metadata = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ name: 'p' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(30, 4_000_000_000).map((seconds) => ({
      name: 'p',
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: seconds,
    })),
  },
)

/** Returns generated Pods, the same ones for the same seed. */
export const generatedPods = (count: number, seed: number): object[] =>
  fc.sample(fc.record({ metadata, spec, status }, { noNullPrototype: true }), { numRuns: count, seed })
