/** The collections that hold objects, and the namespaces in which each of them may hold some. In the control object's storage. */
import type { KnownCollection } from './content.ts'

/** A collection's report before its first object in a namespace. */
export interface CollectionRegistration extends KnownCollection {
  /** '' for cluster-scoped objects; absent in reports of earlier releases. */
  readonly namespace?: string
  /** Whether it is the collection's first report: then it reports every namespace in which it holds objects. */
  readonly isFirst?: boolean
}

interface StoredCollection extends KnownCollection {
  /** Absent for collections that an earlier release has registered: they may hold objects in any namespace. */
  readonly reportsNamespaces?: boolean
}

interface StoredHolding extends KnownCollection {
  /** The time of the last report. */
  readonly at: number
}

const collectionKey = 'collection/'
const holdingKey = (namespace: string): string => `holding/${namespace}/`

/** The registered collections of a cluster. */
export class RegisteredCollections {
  readonly #storage: DurableObjectStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Stores a registration. Resolves when it is durable. */
  async register({ group, version, resource, namespace = '', isFirst = false }: CollectionRegistration): Promise<void> {
    const { kv } = this.#storage
    const collection = { group, version, resource }
    const key = `${collectionKey}${group}/${resource}`
    const stored = kv.get<StoredCollection>(key)
    if (stored === undefined) kv.put<StoredCollection>(key, { ...collection, ...(isFirst && { reportsNamespaces: true }) })
    if (namespace !== '') kv.put<StoredHolding>(`${holdingKey(namespace)}${group}/${resource}`, { ...collection, at: Date.now() })
    await this.#storage.sync()
  }

  /** Returns the collections that have ever been written to. */
  all(): KnownCollection[] {
    return [...this.#storage.kv.list<StoredCollection>({ prefix: collectionKey })].map(([, stored]) => stored)
  }

  /** Whether a collection has ever been written to. */
  has(group: string, resource: string): boolean {
    return this.#storage.kv.get<StoredCollection>(`${collectionKey}${group}/${resource}`) !== undefined
  }

  /** Returns the collections that may hold objects in a namespace. */
  holding(namespace: string): KnownCollection[] {
    const { kv } = this.#storage
    const silent = [...kv.list<StoredCollection>({ prefix: collectionKey })].filter(([, stored]) => !stored.reportsNamespaces)
    const reported = [...kv.list<StoredHolding>({ prefix: holdingKey(namespace) })]
    const found = [...silent, ...reported].map(([, { group, version, resource }]) => ({ group, version, resource }))
    return [...new Map(found.map((one) => [`${one.group}/${one.resource}`, one])).values()]
  }

  /**
   * Forgets the reports for a namespace that is gone.
   * @param before the time at which its collections were last asked to delete its objects: later reports are kept, because the
   *   collections will not repeat them
   */
  forget(namespace: string, before: number): void {
    const { kv } = this.#storage
    for (const [key, { at }] of [...kv.list<StoredHolding>({ prefix: holdingKey(namespace) })]) if (at < before) kv.delete(key)
  }
}
