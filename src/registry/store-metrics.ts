/**
 * Counts the operations, lists, changes and watches of a Durable Object for the metrics. They begin at zero when the object is
 * loaded, as a process begins at zero when it is started.
 */
import type { Kind, StorageLocation } from '../catalog/kind.ts'
import type { Operation, Target } from '../clusters/operation.ts'
import type { Body } from '../encoding/body.ts'
import type { Cell, Distribution } from '../meta/metrics/families.ts'
import { Metrics } from '../meta/metrics/metrics.ts'
import type { Store, WatchTally } from '../storage/store.ts'

/** The names of operations in etcd's metrics, by verb. Others are not counted. */
const operations = {
  get: 'get',
  list: 'list',
  create: 'create',
  update: 'update',
  patch: 'update',
  apply: 'update',
  delete: 'delete',
  deletecollection: 'delete',
  bind: 'update',
  evict: 'delete',
} as const satisfies Partial<Record<Operation['verb'], string>>

type OperationName = (typeof operations)[keyof typeof operations]

const operationOfVerb: Readonly<Partial<Record<string, OperationName>>> = operations

/** The value of the label that names the store. */
const storageCluster = 'sqlite'

/** The number of objects of a resource that are read to estimate the size of all. */
const sampledObjects = 20

/** The cells of one operation on one resource. */
interface OperationCells {
  readonly total: Cell
  readonly duration: Distribution
}

/** The counters of the lists of one resource. */
export interface ListCells {
  readonly total: Cell
  readonly fetched: Cell
  readonly evaluated: Cell
  readonly returned: Cell
}

const groupResourceOf = (prefix: string): readonly [group: string, resource: string] => {
  const dot = prefix.indexOf('.')
  return dot < 0 ? ['', prefix] : [prefix.slice(dot + 1), prefix.slice(0, dot)]
}

const scopeOf = ({ name, namespace }: Target): string => (name !== '' ? 'resource' : namespace === '' ? 'cluster' : 'namespace')

/**
 * The counters of one Durable Object.
 * @example
 * const metrics = new StoreMetrics()
 * metrics.operated(kind, 'create', 4, 'done')
 * const samples = metrics.samples.read()
 */
export class StoreMetrics {
  /** All samples of the Durable Object: also those that other parts of it count. */
  readonly samples = new Metrics()
  readonly #operations = new WeakMap<StorageLocation, Map<OperationName, OperationCells>>()
  readonly #lists = new WeakMap<StorageLocation, ListCells>()
  /** The sizes of responses by version of a kind, then by the rest of their labels. */
  readonly #sizes = new WeakMap<Kind, Map<string, Distribution>>()
  readonly #watches = new Map<string, WatchTally>()
  /** The cells of changes by the prefix of their keys. Successive changes mostly have the same. */
  readonly #changes = new Map<string, readonly Cell[]>()
  #lastPrefix = ''
  #lastCells: readonly Cell[] = []

  /**
   * Counts a completed operation.
   * @param milliseconds its duration, as far as the clock of the runtime advances during it
   */
  operated({ storage }: Kind, verb: string, milliseconds: number, outcome: 'done' | 'failed'): void {
    const name = operationOfVerb[verb]
    if (name === undefined) return
    const { total, duration } = this.#cellsOf(storage, name)
    total.value++
    duration.observe(milliseconds / 1000)
    if (outcome === 'failed') {
      const [group, resource] = groupResourceOf(storage.prefix)
      this.samples.measure('etcd_request_errors_total', [name, group, resource], 1)
    }
  }

  #cellsOf(storage: StorageLocation, name: OperationName): OperationCells {
    let ofStorage = this.#operations.get(storage)
    if (ofStorage === undefined) {
      ofStorage = new Map()
      this.#operations.set(storage, ofStorage)
    }
    let cells = ofStorage.get(name)
    if (cells === undefined) {
      const labels = [name, ...groupResourceOf(storage.prefix)]
      const total = this.samples.numbers('etcd_requests_total').of(...labels)
      cells = { total, duration: this.samples.distributions('etcd_request_duration_seconds').of(...labels) }
      ofStorage.set(name, cells)
    }
    return cells
  }

  /** Returns the counters of a resource's lists, which the caller increments. */
  lists({ storage }: Kind): ListCells {
    let cells = this.#lists.get(storage)
    if (cells === undefined) {
      const labels = groupResourceOf(storage.prefix)
      cells = {
        total: this.samples.numbers('apiserver_storage_list_total').of(...labels),
        fetched: this.samples.numbers('apiserver_storage_list_fetched_objects_total').of(...labels),
        evaluated: this.samples.numbers('apiserver_storage_list_evaluated_objects_total').of(...labels),
        returned: this.samples.numbers('apiserver_storage_list_returned_objects_total').of(...labels),
      }
      this.#lists.set(storage, cells)
    }
    return cells
  }

  /** Counts the response to a list. */
  listed(kind: Kind, target: Target, body: Body): void {
    this.lists(kind).total.value++
    this.#responded(kind, 'LIST', target.subresource, scopeOf(target), body)
  }

  /** Counts the response to a get. */
  read(kind: Kind, target: Target, body: Body): void {
    this.#responded(kind, 'GET', target.subresource, 'resource', body)
  }

  #responded(kind: Kind, verb: 'GET' | 'LIST', subresource: string, scope: string, { content, whenSent }: Body): void {
    const sizes = this.#sizesOf(kind, verb, subresource, scope)
    if (typeof content === 'string') sizes.observe(content.length)
    else if (content instanceof Uint8Array) sizes.observe(content.byteLength)
    else whenSent?.((bytes) => sizes.observe(bytes))
  }

  #sizesOf(kind: Kind, verb: 'GET' | 'LIST', subresource: string, scope: string): Distribution {
    let ofKind = this.#sizes.get(kind)
    if (ofKind === undefined) {
      ofKind = new Map()
      this.#sizes.set(kind, ofKind)
    }
    // A get of the object itself is by far the most frequent.
    const key = subresource === '' ? scope : `${scope} ${verb} ${subresource}`
    let sizes = ofKind.get(key)
    if (sizes === undefined) {
      const { group, version, resource } = kind
      const family = this.samples.distributions('apiserver_response_sizes')
      sizes = family.of(verb, group, version, resource, subresource, scope, 'apiserver')
      ofKind.set(key, sizes)
    }
    return sizes
  }

  /** Counts a change of the object with a key. */
  changed(key: string): void {
    if (this.#lastPrefix === '' || !key.startsWith(this.#lastPrefix)) this.#find(key)
    for (const cell of this.#lastCells) cell.value++
  }

  #find(key: string): void {
    const prefix = key.slice(0, key.indexOf('/') + 1)
    let cells = this.#changes.get(prefix)
    if (cells === undefined) {
      const labels = groupResourceOf(prefix.slice(0, -1))
      cells = [
        this.samples.numbers('apiserver_storage_events_received_total').of(...labels),
        this.samples.numbers('apiserver_watch_cache_events_received_total').of(...labels),
        this.samples.numbers('apiserver_watch_cache_events_dispatched_total').of(...labels),
      ]
      this.#changes.set(prefix, cells)
    }
    this.#lastPrefix = prefix
    this.#lastCells = cells
  }

  /**
   * Brings the gauges of the stored data up to date.
   * @param objects the number of objects by `<resource>[.<group>]`
   */
  measure(store: Pick<Store, 'list' | 'resourceVersion'>, objects: Readonly<Record<string, number>>, bytes: number): void {
    this.samples.numbers('apiserver_storage_size_bytes').of(storageCluster).value = bytes
    const { resourceVersion } = store
    for (const [prefix, count] of Object.entries(objects)) {
      const labels = groupResourceOf(prefix)
      const limit = count === 0 ? 0 : sampledObjects
      const items = limit === 0 ? [] : store.list({ prefix: `${prefix}/`, limit, resourceVersion }).items
      const characters = items.reduce((sum, { value }) => sum + value.length, 0)
      const estimate = items.length === 0 ? 0 : Math.round((characters / items.length) * count)
      this.samples.numbers('apiserver_resource_size_estimate_bytes').of(...labels).value = estimate
      this.samples.numbers('apiserver_watch_cache_resource_version').of(...labels).value = resourceVersion
    }
  }

  /** Returns the tally of a kind's watches in a scope, which the caller increments. */
  watches({ apiVersion, group, version, resource }: Kind, target: Target): WatchTally {
    const scope = scopeOf(target)
    const key = `${apiVersion}/${resource} ${scope}`
    let tally = this.#watches.get(key)
    if (tally === undefined) {
      const labels = [group, version, resource]
      const running = ['WATCH', ...labels, '', scope, 'apiserver']
      tally = {
        watches: this.samples.numbers('apiserver_longrunning_requests').of(...running),
        events: this.samples.numbers('apiserver_watch_events_total').of(...labels),
        sizes: this.samples.distributions('apiserver_watch_events_sizes').of(...labels),
        terminated: this.samples.numbers('apiserver_terminated_watchers_total').of(group, resource),
      }
      this.#watches.set(key, tally)
    }
    return tally
  }
}
