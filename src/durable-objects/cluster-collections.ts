/** The collections of a cluster as its control object sees them: each in an object of its own, or all in the control object. */

import type { Kind } from '../catalog/kind.ts'
import type { Operation } from '../clusters/operation.ts'
import { controlledCollections, groupResourceOf } from '../clusters/placement.ts'
import type { CollectionRegistration, RegisteredCollection } from '../clusters/registration-messages.ts'
import type { CollectionDefinitions } from '../controllers/crd/collection-definition.ts'
import { type HeldCollections, RegisteredCollections, StoredCollections } from '../controllers/namespace/collections.ts'
import { definitionPrefix } from '../crd/definition.ts'
import type { Store } from '../storage/store.ts'

/** The differences between the placements. */
export interface ClusterCollections {
  readonly held: HeldCollections
  /** Whether the control object holds a collection `<resource>[.<group>]`. */
  isOwn(collection: string): boolean
  /** Returns the collections in the control object. */
  own(): readonly string[]
  /** Returns the collections in other objects that have ever been written to. */
  others(): readonly RegisteredCollection[]
  /**
   * Returns the collections that may have held objects at a version of the control object, without those that it needs in every
   * placement.
   */
  usedAt(resourceVersion: number): readonly RegisteredCollection[]
  /** Takes over the collections of a cluster of which this one is a fork. */
  adopt(collections: readonly RegisteredCollection[]): void
  /** Registers a collection in another object. Resolves to false if there must be no others. */
  register(registration: CollectionRegistration): Promise<boolean>
  /** Prepares an operation on a collection of the control object. */
  prepare(operation: Operation): Promise<void> | undefined
  /** Returns the kind of a custom resource of the control object. */
  customKindOf(group: string, version: string, resource: string): Kind | undefined
  /** Returns the kind of the custom resources with a prefix in its storage version, if the control object holds them. */
  storedCustomKind(prefix: string): Kind | undefined
}

/** Collections with objects of their own, except for those that the control object needs. */
export class SeparateCollections implements ClusterCollections {
  readonly held: RegisteredCollections

  constructor(storage: DurableObjectStorage) {
    this.held = new RegisteredCollections(storage)
  }

  isOwn(collection: string): boolean {
    return controlledCollections.has(collection)
  }

  own(): readonly string[] {
    return [...controlledCollections]
  }

  others(): readonly RegisteredCollection[] {
    return this.held.all()
  }

  /** Registrations are never taken back. */
  usedAt(): readonly RegisteredCollection[] {
    return this.held.all()
  }

  adopt(collections: readonly RegisteredCollection[]): void {
    this.held.adopt(collections)
  }

  async register(registration: CollectionRegistration): Promise<boolean> {
    await this.held.register(registration)
    return true
  }

  prepare(): undefined {}

  customKindOf(): undefined {}

  storedCustomKind(): undefined {}
}

/** Returns the collections of custom resources that were defined at a version: the name of a definition is their prefix. */
function customCollectionsAt(store: Store, resourceVersion: number): (RegisteredCollection & { readonly prefix: string })[] {
  const found: (RegisteredCollection & { readonly prefix: string })[] = []
  for (let after = '', more = true; more; ) {
    const page = store.listHeads({ prefix: definitionPrefix, after, limit: 500, resourceVersion })
    for (const { key } of page.items) {
      const prefix = key.slice(definitionPrefix.length)
      const [group, resource] = groupResourceOf(prefix)
      found.push({ group, version: '', resource, prefix })
    }
    after = page.items.at(-1)?.key ?? ''
    more = page.more
  }
  return found
}

/** The parts of the control object that collections in it use. */
export interface CollectionsInOneObject {
  readonly store: Store
  readonly definitions: CollectionDefinitions
  /** Returns the kinds of all served definitions, each in its storage version. */
  readonly customKinds: () => readonly Kind[]
  /** Whether the objects of a collection are still to be copied from another cluster. */
  readonly isPending: (collection: string) => boolean
}

/** Collections that are all in the control object. */
export class OwnCollections implements ClusterCollections {
  readonly held: StoredCollections
  readonly #parts: CollectionsInOneObject

  constructor(parts: CollectionsInOneObject) {
    this.#parts = parts
    this.held = new StoredCollections(parts.store, parts.customKinds, parts.isPending)
  }

  isOwn(): boolean {
    return true
  }

  own(): readonly string[] {
    return this.held.all().map(({ storage }) => storage.prefix)
  }

  others(): readonly RegisteredCollection[] {
    return []
  }

  usedAt(resourceVersion: number): readonly RegisteredCollection[] {
    const { store, isPending } = this.#parts
    const isUsed = ({ prefix }: { readonly prefix: string }): boolean =>
      isPending(prefix) || store.listHeads({ prefix: `${prefix}/`, limit: 1, resourceVersion }).items.length > 0
    const kinds = this.held.all().filter(({ conversion }) => conversion === undefined)
    const builtIn = kinds.map(({ group, version, resource, storage: { prefix } }) => ({ group, version, resource, prefix }))
    const custom = customCollectionsAt(store, resourceVersion)
    return [...builtIn, ...custom]
      .filter((one) => !controlledCollections.has(one.prefix) && isUsed(one))
      .map(({ group, version, resource }) => ({ group, version, resource }))
  }

  /** The store is searched. */
  adopt(): void {}

  /** A Worker of an earlier release, which knows only the other placement, has made an object for the collection. */
  async register(): Promise<boolean> {
    return false
  }

  prepare({ target: { group, resource }, definition }: Operation): Promise<void> | undefined {
    return definition === undefined ? undefined : this.#parts.definitions.require(group, resource, definition)
  }

  customKindOf(group: string, version: string, resource: string): Kind | undefined {
    return this.#parts.definitions.kindOf(group, version, resource)
  }

  storedCustomKind(prefix: string): Kind | undefined {
    return this.#parts.definitions.storageKind(prefix)
  }
}
