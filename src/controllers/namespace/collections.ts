/** The collections that hold objects, and the namespaces in which each of them may hold some. */

import type { Kind } from '../../catalog/kind.ts'
import { allKinds, unservedKinds } from '../../catalog/scheme.ts'
import type { CollectionRegistration, RegisteredCollection } from '../../clusters/registration-messages.ts'
import type { Store } from '../../storage/store.ts'

/** Knows which collections of a cluster hold objects. */
export interface HeldCollections {
  /** Whether a collection may hold objects, or has held some. */
  has(group: string, resource: string): boolean
  /** Returns the collections that may hold objects in a namespace. */
  holding(namespace: string): RegisteredCollection[]
  /** Forgets the collections of a namespace that has no content any more, and gets none. */
  forget(namespace: string): void
}

interface StoredCollection extends RegisteredCollection {
  /** Absent for collections that an earlier release has registered: they may hold objects in any namespace. */
  readonly reportsNamespaces?: boolean
}

/** The namespaced kinds whose objects are in the control object itself; they do not report. */
const ownCollections: readonly RegisteredCollection[] = [
  { group: '', version: 'v1', resource: 'limitranges' },
  { group: '', version: 'v1', resource: 'resourcequotas' },
  { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles' },
  { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'rolebindings' },
]

export const collectionKey = 'collection/'
const holdingKey = (namespace: string): string => `holding/${namespace}/`

/** The registered collections of a cluster with an object for each. They are in the control object's storage. */
export class RegisteredCollections implements HeldCollections {
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
    if (namespace !== '') kv.put<RegisteredCollection>(`${holdingKey(namespace)}${group}/${resource}`, collection)
    await this.#storage.sync()
  }

  /**
   * Records collections that are copied from another cluster when they are first used: they may hold objects in any namespace.
   */
  adopt(collections: readonly RegisteredCollection[]): void {
    for (const { group, version, resource } of collections) {
      this.#storage.kv.put<StoredCollection>(`${collectionKey}${group}/${resource}`, { group, version, resource })
    }
  }

  /** Returns the collections that have ever been written to. */
  all(): RegisteredCollection[] {
    return [...this.#storage.kv.list<StoredCollection>({ prefix: collectionKey })].map(([, stored]) => stored)
  }

  /** Whether a collection has ever been written to. */
  has(group: string, resource: string): boolean {
    return this.#storage.kv.get<StoredCollection>(`${collectionKey}${group}/${resource}`) !== undefined
  }

  /** Returns the collections that may hold objects in a namespace. */
  holding(namespace: string): RegisteredCollection[] {
    const { kv } = this.#storage
    const silent = [...kv.list<StoredCollection>({ prefix: collectionKey })].filter(([, stored]) => !stored.reportsNamespaces)
    const reported = [...kv.list<RegisteredCollection>({ prefix: holdingKey(namespace) })]
    const others = [...silent, ...reported].map(([, { group, version, resource }]) => ({ group, version, resource }))
    const found = [...ownCollections, ...others]
    return [...new Map(found.map((one) => [`${one.group}/${one.resource}`, one])).values()]
  }

  forget(namespace: string): void {
    const { kv } = this.#storage
    for (const [key] of [...kv.list({ prefix: holdingKey(namespace) })]) kv.delete(key)
  }
}

/** The collections of a cluster whose control object holds all of them: its store is searched. */
export class StoredCollections implements HeldCollections {
  readonly #store: Store
  readonly #customKinds: () => readonly Kind[]
  readonly #isPending: (collection: string) => boolean

  /**
   * @param customKinds returns the kinds of custom resources, each in its storage version
   * @param isPending tells whether the objects of a collection are still to be copied from another cluster
   */
  constructor(store: Store, customKinds: () => readonly Kind[], isPending: (collection: string) => boolean) {
    this.#store = store
    this.#customKinds = customKinds
    this.#isPending = isPending
  }

  has(group: string, resource: string): boolean {
    return this.#holds(`${group === '' ? resource : `${resource}.${group}`}/`)
  }

  holding(namespace: string): RegisteredCollection[] {
    const found = this.all().filter(({ namespaced, storage }) => namespaced && this.#holds(`${storage.prefix}/${namespace}/`))
    return found.map(({ group, version, resource }) => ({ group, version, resource }))
  }

  /** Nothing is recorded that could be forgotten. */
  forget(): void {}

  /** Returns a kind of each collection, in its storage version. */
  all(): Kind[] {
    const builtIn = [...allKinds(), ...unservedKinds()].filter((kind) => kind.conversion === undefined && kind.verbs.has('list'))
    return [...builtIn, ...this.#customKinds()]
  }

  #holds(prefix: string): boolean {
    if (this.#isPending(prefix.slice(0, prefix.indexOf('/')))) return true
    const { resourceVersion } = this.#store
    return this.#store.listHeads({ prefix, after: '', limit: 1, resourceVersion }).items.length > 0
  }
}
