/** The definition of the custom resources of a collection, kept beside its objects. */

import type { Kind } from '../../catalog/kind.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { send } from '../../clusters/message.ts'
import { type CustomResourceDefinition, storageVersionOf } from '../../crd/definition.ts'
import { compiledBytes, kindsOf } from '../../crd/kind.ts'
import type { CallWebhook } from '../../crd/versions.ts'
import { parseJson } from '../../go/json.ts'
import { type Cache, type CacheShare, type HeldMemory, memoryBudget } from '../../meta/memory-budget.ts'
import { waitIfLong } from '../../meta/parts.ts'

/** The storage keys of the definition and of the earlier storage versions, if the Durable Object holds one collection. */
const keysOfOne = { definition: 'definition', epochs: 'storage-versions' } as const

/** Returns the storage keys of one of several collections in a Durable Object. */
const keysAmong = (name: string): DefinitionKeys => ({ definition: `definition/${name}`, epochs: `storage-versions/${name}` })

interface DefinitionKeys {
  readonly definition: string
  readonly epochs: string
}

/** The number of collections that a Durable Object holds. */
export type Holding = 'one' | 'several'

/** A former storage version, used up to a resourceVersion. */
export interface Epoch {
  readonly version: string
  readonly through: number
}

/** Returns the former storage versions of a collection's custom resources; undefined without one. */
export function storageVersionsIn({ kv }: Pick<DurableObjectStorage, 'kv'>, name: string): readonly Epoch[] | undefined {
  return kv.get<readonly Epoch[]>(keysAmong(name).epochs) ?? kv.get<readonly Epoch[]>(keysOfOne.epochs)
}

/** Stores the former storage versions of custom resources that come from another place. */
export function keepStorageVersions(
  { kv }: Pick<DurableObjectStorage, 'kv'>,
  name: string,
  holding: Holding,
  epochs: readonly Epoch[],
): void {
  kv.put(holding === 'one' ? keysOfOne.epochs : keysAmong(name).epochs, epochs)
}

/** Returns former storage versions from another place, in their order; undefined for any other value. */
export function storageVersionsOf(value: unknown): readonly Epoch[] | undefined {
  if (!Array.isArray(value) || value.length > mostEpochs || !value.every(isEpoch)) return undefined
  return value.map(({ version, through }) => ({ version, through }))
}

/** The most former storage versions that are taken from another place. */
const mostEpochs = 1000

function isEpoch(value: unknown): value is Epoch {
  if (typeof value !== 'object' || value === null) return false
  const { version, through } = value as Partial<Epoch>
  return typeof version === 'string' && version.length <= 63 && Number.isSafeInteger(through)
}

/** The stored definition. */
interface Kept {
  readonly tag: string
  /** The definition's JSON. */
  readonly text: string
  /** True if objects may have been stored under another definition: reading prunes and defaults them again. */
  readonly hasOlderObjects: boolean
}

/** The parts of the Durable Object that a definition depends on. */
export interface CollectionState {
  /** Whether anything was ever written to the object. As long as nothing was, the definition is not stored either. */
  readonly isUsed: () => boolean
  readonly isEmpty: (prefix: string) => boolean
  /** Whether an object of a collection has a resourceVersion for which this is true. */
  readonly hasVersion: (prefix: string, test: (resourceVersion: number) => boolean) => boolean
  /** Whether the objects of a collection come from another cluster, of which this one is a fork. */
  readonly isForked: (collection: string) => boolean
  /** The resourceVersion of the last write. */
  readonly resourceVersion: () => number
  /** Calls conversion webhooks. */
  readonly callWebhook: CallWebhook
  /** Closes the watches of keys with a prefix when the definition has changed, so that clients watch again. */
  readonly endWatches: (prefix: string) => void
}

/**
 * Keeps the definition of one collection. Without a definition the collection has no kinds. Compiled kinds are a cache: they are
 * compiled again if the isolate needed their memory.
 */
export class CollectionDefinition implements Cache {
  readonly #storage: DurableObjectStorage
  readonly #objects: CollectionClient
  /** `<resource>.<group>`: the name of the definition, and the prefix of the collection's keys. */
  readonly #name: string
  readonly #keys: DefinitionKeys
  readonly #state: CollectionState
  readonly #share: CacheShare = memoryBudget.share(this)
  readonly #text: HeldMemory = memoryBudget.holder(this)
  #kept: Kept | undefined
  #kinds: ReadonlyMap<string, Kind> | undefined
  #epochs: readonly Epoch[] | undefined
  #storageVersion: string | undefined
  /**
   * The tags of earlier definitions: a request that carries one was decided on a policy snapshot of up to a second ago, and is
   * accepted.
   */
  readonly #old = new Set<string>()

  /**
   * @param name `<resource>.<group>`
   * @param keys the storage keys; by default, those of an object that holds one collection
   */
  constructor(
    storage: DurableObjectStorage,
    objects: CollectionClient,
    name: string,
    state: CollectionState,
    keys: DefinitionKeys = keysOfOne,
  ) {
    this.#storage = storage
    this.#objects = objects
    this.#name = name
    this.#state = state
    this.#keys = keys
  }

  /** Returns the kind in a version; undefined if the stored definition does not serve it. */
  kindOf(group: string, version: string, resource: string): Kind | undefined {
    const kind = this.#current()?.get(version)
    return kind !== undefined && kind.group === group && kind.resource === resource ? kind : undefined
  }

  /** The kind in its storage version. */
  get storageKind(): Kind | undefined {
    const [any] = this.#current()?.values() ?? []
    return any === undefined ? undefined : this.#current()?.get(any.storage.version)
  }

  /** Loads the definition with this tag, or a newer one, unless it is present. */
  async require(tag: string): Promise<void> {
    this.#read()
    if (this.#kept?.tag === tag || this.#old.has(tag)) return
    const found = await send(this.#objects.control(), controlProtocol.definition, { name: this.#name })
    if (found === undefined) return
    await waitIfLong(found.text)
    if (found.tag === this.#kept?.tag) this.#old.add(tag)
    else this.#keep(found)
  }

  /** Stores the definition before the first write of the collection. */
  store(): void {
    if (this.#kept !== undefined && !this.#state.isUsed()) this.#storage.kv.put(this.#keys.definition, this.#kept)
  }

  #keep({ tag, text }: { readonly tag: string; readonly text: string }): void {
    const before = this.#kept
    const isUsed = this.#state.isUsed()
    if (before !== undefined) this.#old.add(before.tag)
    this.#old.delete(tag)
    if (before !== undefined && isUsed) this.#endEpoch(storageVersionIn(before.text), storageVersionIn(text))
    const mayBeOlder = before !== undefined || this.#state.isForked(this.#name)
    const hasOlderObjects = mayBeOlder && !this.#state.isEmpty(`${this.#name}/`)
    this.#kept = { tag, text, hasOlderObjects }
    if (isUsed) this.#storage.kv.put(this.#keys.definition, this.#kept)
    this.shed()
    this.#text.set(text.length)
    this.#storageVersion = undefined
    if (before !== undefined) this.#state.endWatches(`${this.#name}/`)
  }

  /** Records that objects are stored in another version from now on. */
  #endEpoch(before: string, after: string): void {
    if (before === after) return
    this.#epochs = [...this.#storedBefore(), { version: before, through: this.#state.resourceVersion() }]
    this.#storage.kv.put(this.#keys.epochs, this.#epochs)
  }

  #storedBefore(): readonly Epoch[] {
    this.#epochs ??= this.#storage.kv.get<readonly Epoch[]>(this.#keys.epochs) ?? []
    return this.#epochs
  }

  #read(): void {
    if (this.#kept !== undefined) return
    this.#kept = this.#storage.kv.get<Kept>(this.#keys.definition)
    this.#text.set(this.#kept?.text.length ?? 0)
  }

  shed(): void {
    this.#kinds = undefined
    this.#share.remove(this.#share.bytes)
  }

  #current(): ReadonlyMap<string, Kind> | undefined {
    this.#read()
    if (this.#kept === undefined) return undefined
    if (this.#kinds !== undefined) {
      this.#share.use()
      return this.#kinds
    }
    const { tag, text, hasOlderObjects } = this.#kept
    const definition = definitionIn(text)
    const kinds = kindsOf(definition, tag, {
      reading: hasOlderObjects ? 'renewed' : 'as stored',
      writtenIn: (resourceVersion) => this.#writtenIn(resourceVersion),
      hasUnreadable: this.#hasUnreadable(definition),
      callWebhook: this.#state.callWebhook,
    })
    this.#kinds = kinds
    this.#share.add(compiledBytes(text.length))
    return kinds
  }

  /** Whether objects are still stored in a version that the definition no longer has. */
  #hasUnreadable({ spec }: CustomResourceDefinition): boolean {
    const names = new Set(spec.versions.map(({ name }) => name))
    if (this.#storedBefore().every(({ version }) => names.has(version))) return false
    return this.#state.hasVersion(`${this.#name}/`, (resourceVersion) => !names.has(this.#writtenIn(resourceVersion) ?? ''))
  }

  /**
   * Returns the version in which a revision was stored. A revision after all recorded versions is in the current one, also for
   * kinds of a definition that has just been replaced.
   */
  #writtenIn(resourceVersion: number): string | undefined {
    const epoch = this.#storedBefore().find(({ through }) => resourceVersion <= through)
    if (epoch !== undefined) return epoch.version
    if (this.#kept === undefined) return undefined
    this.#storageVersion ??= storageVersionIn(this.#kept.text)
    return this.#storageVersion
  }
}

/** The definitions of all custom resources in a Durable Object that holds all collections of its cluster. */
export class CollectionDefinitions {
  readonly #make: (name: string) => CollectionDefinition
  readonly #known = new Map<string, CollectionDefinition>()

  constructor(storage: DurableObjectStorage, objects: CollectionClient, state: CollectionState) {
    this.#make = (name) => new CollectionDefinition(storage, objects, name, state, keysAmong(name))
  }

  /** Loads the definition with this tag, or a newer one, unless it is present. */
  require(group: string, resource: string, tag: string): Promise<void> {
    return this.#of(`${resource}.${group}`).require(tag)
  }

  /** Returns the kind in a version; undefined if its definition is not kept here or does not serve it. */
  kindOf(group: string, version: string, resource: string): Kind | undefined {
    return this.#of(`${resource}.${group}`).kindOf(group, version, resource)
  }

  /** Returns the kind of a definition in its storage version; undefined if the definition is not kept here. */
  storageKind(name: string): Kind | undefined {
    return this.#of(name).storageKind
  }

  #of(name: string): CollectionDefinition {
    const known = this.#known.get(name) ?? this.#make(name)
    this.#known.set(name, known)
    return known
  }
}

const definitionIn = (text: string): CustomResourceDefinition => parseJson(text) as unknown as CustomResourceDefinition

const storageVersionIn = (text: string): string => storageVersionOf(definitionIn(text).spec)?.name ?? ''
