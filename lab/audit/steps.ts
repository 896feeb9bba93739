/** The steps of which the scenarios consist, measured one by one. */
import { setTimeout as pause } from 'node:timers/promises'
import { Client, inParallel, type OpenWatch } from './client.ts'
import type { AuditedServer } from './server.ts'
import { Recorder, type Step } from './step.ts'

/** The size of a measurement. */
export interface Size {
  /** How often a step without pauses is repeated. */
  readonly repetitions: number
  /** How often a step is repeated that waits until all objects have hibernated; 0 leaves such steps out. */
  readonly afterHibernation: number
  readonly electionSteps: number
  readonly informers: number
  /** The seconds for which watches are idle and for which nobody is connected. */
  readonly idleSeconds: number
  /** `full`: history is filled before writes are measured, so that compaction is a part of them. */
  readonly history: 'full' | 'empty'
}

/** The sizes of the full measurement, on which the documentation rests. */
export const fullSize: Size = {
  repetitions: 1200,
  afterHibernation: 3,
  electionSteps: 3,
  informers: 20,
  idleSeconds: 130,
  history: 'full',
}

/** The sizes of the short measurement, which notices a regression. */
export const shortSize: Size = {
  repetitions: 60,
  afterHibernation: 0,
  electionSteps: 1,
  informers: 4,
  idleSeconds: 2,
  history: 'empty',
}

/**
 * Returns the settings of the server. History is shortened to a second. It is then limited by its number of events, as for a
 * collection with fewer than three writes a second, and compaction goes on during the measurement.
 */
export const settingsOf = ({ history }: Size, placement: Placement): Readonly<Record<string, string>> => ({
  PLACEMENT: placement,
  ...(history === 'full' && { HISTORY_SECONDS: '1', HISTORY_EVENTS: String(historyEvents) }),
})

/** The placements of clusters: a Durable Object for each collection, or one for all. */
export type Placement = 'collections' | 'one-object'

/** The default of HISTORY_EVENTS. */
const historyEvents = 1000
const connections = 8
/** Objects without work are evicted after ten seconds. */
const eviction = 11_500
/** Within this time an alarm sends bookmarks to watches that did not select an event. */
const bookmark = 65_000
/** Watches of clients that have gone are noticed at their next heartbeat. */
const heartbeat = 31_000
const namespace = '/api/v1/namespaces/shop'
const leases = '/apis/coordination.k8s.io/v1/namespaces/shop/leases'
const rules = '/apis/rbac.authorization.k8s.io/v1'

/** Twenty collections that informers of usual controllers watch. Objects of the first four need nothing but a name. */
const watched = [
  ...['configmaps', 'secrets', 'endpoints', 'serviceaccounts', 'pods', 'services', 'events', 'persistentvolumeclaims'].map(
    (resource) => `/api/v1/${resource}`,
  ),
  ...['deployments', 'replicasets', 'statefulsets', 'daemonsets', 'controllerrevisions'].map((name) => `/apis/apps/v1/${name}`),
  ...['jobs', 'cronjobs'].map((resource) => `/apis/batch/v1/${resource}`),
  ...['ingresses', 'networkpolicies'].map((resource) => `/apis/networking.k8s.io/v1/${resource}`),
  '/apis/discovery.k8s.io/v1/endpointslices',
  '/apis/policy/v1/poddisruptionbudgets',
  '/apis/coordination.k8s.io/v1/leases',
]
const simple = ['configmaps', 'secrets', 'endpoints', 'serviceaccounts']

/** A ConfigMap of about 1 KB. */
export const configMap = (name: string, generation = 0) => ({
  metadata: { name, namespace: 'shop', labels: { app: 'shop' } },
  data: { generation: String(generation), settings: 'x'.repeat(700) },
})

const lease = (transitions: number): object => ({
  metadata: { name: 'leader', namespace: 'shop' },
  spec: { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: transitions },
})

/** The measurement of one server. */
class Measurement {
  readonly recorder: Recorder
  readonly #server: AuditedServer
  readonly #client: Client
  readonly #size: Size
  /** The token of a ServiceAccount. */
  #robot = ''

  constructor(server: AuditedServer, size: Size) {
    this.recorder = new Recorder(server)
    this.#server = server
    this.#client = new Client(server)
    this.#size = size
  }

  async start(): Promise<void> {
    await this.recorder.measure('start', 1, () => this.#client.send('/api/v1/namespaces'))
    await this.recorder.measure('namespace', 1, () => this.#client.create('/api/v1/namespaces', { metadata: { name: 'shop' } }))
  }

  /** Creates a ServiceAccount that may do everything in its namespace. */
  async prepareAccount(): Promise<void> {
    const client = this.#client
    await client.create(`${namespace}/serviceaccounts`, { metadata: { name: 'robot' } })
    await client.create(`${rules}/clusterroles`, {
      metadata: { name: 'all' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
    })
    await client.create(`${rules}/namespaces/shop/rolebindings`, {
      metadata: { name: 'robot' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'all' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'shop' }],
    })
    const made = await client.send<{ status: { token: string } }>(`${namespace}/serviceaccounts/robot/token`, {
      method: 'POST',
      body: { spec: { expirationSeconds: 36_000 } },
    })
    this.#robot = made.status.token
  }

  async creates(): Promise<void> {
    const { repetitions, history } = this.#size
    const create = (prefix: string) => (index: number) =>
      this.#client.create(`${namespace}/configmaps`, configMap(`${prefix}-${index}`))
    if (history === 'full') await inParallel(historyEvents * 1.1, connections, create('first'))
    await this.recorder.measure('create', repetitions, () => inParallel(repetitions, connections, create('object')))
  }

  async reads(): Promise<void> {
    const { repetitions } = this.#size
    const get = (token?: string) => (index: number) =>
      this.#client.send(`${namespace}/configmaps/object-${index}`, token === undefined ? {} : { token })
    await this.recorder.measure('get', repetitions, () => inParallel(repetitions, connections, get()))
    await this.recorder.measure('get by a ServiceAccount', repetitions, () =>
      inParallel(repetitions, connections, get(this.#robot)),
    )
    await this.recorder.measure('list of 500', 10, () =>
      inParallel(10, 1, () => this.#client.send(`${namespace}/configmaps?limit=500`)),
    )
  }

  /** Measures gets of hibernated objects, each by a ServiceAccount. */
  async sparseReads(): Promise<void> {
    const { afterHibernation } = this.#size
    const get = async (index: number): Promise<void> => {
      await pause(eviction)
      await this.#client.send(`${namespace}/configmaps/object-${index}`, { token: this.#robot })
    }
    // The control object stores changed rules for its later starts.
    await get(0)
    await this.recorder.measure('get after hibernation', afterHibernation, () => inParallel(afterHibernation, 1, get))
  }

  /** Measures updates of a few objects, before and after their history is full. */
  async updates(): Promise<void> {
    const { repetitions, history } = this.#size
    const path = `${namespace}/endpoints`
    const objectOf = (index: number): string => `object-${index % connections}`
    const bodyOf = (name: string, generation: number): object => {
      const { metadata, data } = configMap(name, generation)
      return { metadata: { ...metadata, annotations: data } }
    }
    await inParallel(connections, connections, (index) => this.#client.create(path, bodyOf(objectOf(index), 0)))
    let generation = 0
    const update = (index: number) =>
      this.#client.send(`${path}/${objectOf(index)}`, { method: 'PUT', body: bodyOf(objectOf(index), ++generation) })
    const early = Math.min(repetitions, historyEvents * 0.8)
    await this.recorder.measure('update without compaction', early, () => inParallel(early, connections, update))
    if (history === 'empty') return
    await inParallel(historyEvents * 0.3, connections, update)
    await this.recorder.measure('update', repetitions, () => inParallel(repetitions, connections, update))
  }

  /** Measures a leader election by a ServiceAccount: a GET and a PUT every two seconds. */
  async election(): Promise<void> {
    const { electionSteps } = this.#size
    const token = this.#robot
    await this.#client.create(leases, lease(0))
    const step = async (index: number): Promise<void> => {
      await pause(2000)
      const { metadata } = await this.#client.send(`${leases}/leader`, { token })
      const body = { ...lease(index + 1), metadata }
      await this.#client.send(`${leases}/leader`, { method: 'PUT', body, token })
    }
    await this.recorder.measure('step of a leader election', electionSteps, async () => {
      for (let index = 0; index < electionSteps; index++) await step(index)
    })
  }

  /** Measures watches on a collection each, as informers open them. */
  async watches(): Promise<void> {
    const { informers, idleSeconds, afterHibernation } = this.#size
    const paths = watched.slice(0, informers)
    const versions = new Map<string, string>()
    // The first write of a collection in a namespace costs more than others.
    await this.#touch('first')
    let watches: readonly OpenWatch[] = []
    await this.recorder.measure('start of an informer', paths.length, async () => {
      watches = await Promise.all(paths.map((path) => this.#inform(path, versions)))
    })
    if (afterHibernation > 0) await pause(eviction)
    await this.recorder.measureWhile('second of an idle watch', paths.length * idleSeconds, idleSeconds)
    await this.recorder.measure('event of an idle watch', simple.length, async () => {
      await this.#touch('later')
      if (afterHibernation > 0) await pause(bookmark)
    })
    for (const watch of watches) watch.close()
    await Promise.all(watches.map(({ ended }) => ended))
    if (afterHibernation > 0) await this.#renewals(versions)
  }

  /** Creates an object in each of the simple collections. */
  async #touch(name: string): Promise<void> {
    await inParallel(simple.length, 1, (index) => this.#client.create(`${namespace}/${simple[index]}`, { metadata: { name } }))
  }

  /** Lists a collection and watches it. */
  async #inform(path: string, versions: Map<string, string>): Promise<OpenWatch> {
    const { metadata } = await this.#client.send(`${path}?limit=500&resourceVersion=0`)
    versions.set(path, metadata.resourceVersion ?? '')
    return this.#client.watch(path, metadata.resourceVersion ?? '', 3600)
  }

  /** Measures watches that continue from a version, as a reflector starts them when the last one has ended. */
  async #renewals(versions: ReadonlyMap<string, string>): Promise<void> {
    await pause(heartbeat + eviction)
    await this.recorder.measure('watch of ten seconds', versions.size, async () => {
      const watches = await Promise.all([...versions].map(([path, version]) => this.#client.watch(path, version, 10)))
      await Promise.all(watches.map(({ ended }) => ended))
    })
  }

  /** Measures a server to which nobody is connected. */
  async idle(): Promise<void> {
    const { idleSeconds, afterHibernation } = this.#size
    if (afterHibernation > 0) {
      await this.#server.quiet()
      await pause(eviction)
    }
    await this.recorder.measureWhile('second without clients', idleSeconds, idleSeconds)
  }
}

/** Measures all steps on a server without data. */
export async function measureSteps(server: AuditedServer, size: Size): Promise<readonly Step[]> {
  const measurement = new Measurement(server, size)
  await measurement.start()
  await measurement.idle()
  await measurement.prepareAccount()
  await measurement.creates()
  await measurement.reads()
  await measurement.updates()
  if (size.afterHibernation > 0) await measurement.sparseReads()
  await measurement.election()
  await measurement.watches()
  return measurement.recorder.steps
}
