/** The definition of the custom resources of a collection, kept in the collection's Durable Object. */
import type { Kind } from '../../catalog/kind.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { fetchDefinition } from '../../clusters/definition-text.ts'
import type { WebhookTransport } from '../../clusters/webhooks/transport.ts'
import { type CustomResourceDefinition, storageVersionOf } from '../../crd/definition.ts'
import { kindsOf } from '../../crd/kind.ts'
import { parseJson } from '../../go/json.ts'
import { waitIfLong } from '../../meta/parts.ts'

/** The storage key of the definition. */
const definitionKey = 'definition'
/** The storage key of the earlier storage versions. */
const epochsKey = 'storage-versions'

/** A former storage version, used up to a resourceVersion. */
interface Epoch {
  readonly version: string
  readonly through: number
}

/** The stored definition. */
interface Kept {
  readonly tag: string
  /** The definition's JSON. */
  readonly text: string
  /** True if objects may have been stored under another definition: reading prunes and defaults them again. */
  readonly hasOlderObjects: boolean
}

/** The parts of the collection's object that the definition depends on. */
export interface CollectionState {
  /** Whether anything was ever written. As long as nothing was, the definition is not stored either. */
  readonly isUsed: () => boolean
  readonly isEmpty: (prefix: string) => boolean
  /** The resourceVersion of the last write. */
  readonly resourceVersion: () => number
  /** The transport to conversion webhooks. */
  readonly outside: WebhookTransport
  /** Closes all watches when the definition has changed, so that clients watch again. */
  readonly endWatches: () => void
}

/** Keeps the definition of one collection. Without a definition the collection has no kinds. */
export class CollectionDefinition {
  readonly #storage: DurableObjectStorage
  readonly #objects: CollectionClient
  readonly #name: string
  readonly #state: CollectionState
  #kept: Kept | undefined
  #kinds: ReadonlyMap<string, Kind> | undefined
  #epochs: readonly Epoch[] | undefined
  #storageVersion: string | undefined
  /**
   * The tags of earlier definitions: a request that carries one was decided on a policy snapshot of up to a second ago, and is
   * accepted.
   */
  readonly #old = new Set<string>()

  /** @param name the name of the object: `<cluster>/<group>/<resource>` */
  constructor(storage: DurableObjectStorage, objects: CollectionClient, name: string, state: CollectionState) {
    this.#storage = storage
    this.#objects = objects
    this.#name = name
    this.#state = state
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
    const found = await fetchDefinition(this.#objects, { name: this.#definitionName })
    if (found === undefined) return
    await waitIfLong(found.text)
    if (found.tag === this.#kept?.tag) this.#old.add(tag)
    else this.#keep(found)
  }

  /** Stores the definition before the first write of the collection. */
  store(): void {
    if (this.#kept !== undefined && !this.#state.isUsed()) this.#storage.kv.put(definitionKey, this.#kept)
  }

  #keep({ tag, text }: { readonly tag: string; readonly text: string }): void {
    const before = this.#kept
    const isUsed = this.#state.isUsed()
    if (before !== undefined) this.#old.add(before.tag)
    this.#old.delete(tag)
    if (before !== undefined && isUsed) this.#endEpoch(storageVersionIn(before.text), storageVersionIn(text))
    const hasOlderObjects = before !== undefined && !this.#state.isEmpty(`${this.#definitionName}/`)
    this.#kept = { tag, text, hasOlderObjects }
    if (isUsed) this.#storage.kv.put(definitionKey, this.#kept)
    this.#kinds = undefined
    this.#storageVersion = undefined
    if (before !== undefined) this.#state.endWatches()
  }

  /** Records that objects are stored in another version from now on. */
  #endEpoch(before: string, after: string): void {
    if (before === after) return
    this.#epochs = [...this.#storedBefore(), { version: before, through: this.#state.resourceVersion() }]
    this.#storage.kv.put(epochsKey, this.#epochs)
  }

  #storedBefore(): readonly Epoch[] {
    this.#epochs ??= this.#storage.kv.get<readonly Epoch[]>(epochsKey) ?? []
    return this.#epochs
  }

  /** `<resource>.<group>`: the name of the definition, and the prefix of the collection's keys. */
  get #definitionName(): string {
    const [, group = '', resource = ''] = this.#name.split('/')
    return `${resource}.${group}`
  }

  #read(): void {
    this.#kept ??= this.#storage.kv.get<Kept>(definitionKey)
  }

  #current(): ReadonlyMap<string, Kind> | undefined {
    this.#read()
    if (this.#kept === undefined) return undefined
    const { tag, text, hasOlderObjects } = this.#kept
    this.#kinds ??= kindsOf(definitionIn(text), tag, {
      reading: hasOlderObjects ? 'renewed' : 'as stored',
      writtenIn: (resourceVersion) => this.#writtenIn(resourceVersion),
      outside: this.#state.outside,
    })
    return this.#kinds
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

const definitionIn = (text: string): CustomResourceDefinition => parseJson(text) as unknown as CustomResourceDefinition

const storageVersionIn = (text: string): string => storageVersionOf(definitionIn(text).spec)?.name ?? ''
