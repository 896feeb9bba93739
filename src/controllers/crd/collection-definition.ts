/** The definition of the custom resources that a collection's object holds, kept beside them. */
import type { Kind } from '../../catalog/kind.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { askDefinition } from '../../clusters/definition-text.ts'
import type { WebhookTransport } from '../../crd/conversion/webhook.ts'
import { type CustomResourceDefinition, storageVersionOf } from '../../crd/definition.ts'
import { kindsOf } from '../../crd/kind.ts'
import { parseJson } from '../../go/json.ts'
import { turnFor } from '../../meta/parts.ts'

/** Where it is kept. */
const definitionKey = 'definition'
/** Where the versions are kept in which objects were stored before. */
const epochsKey = 'storage-versions'

/** A version in which objects were stored, up to a resourceVersion. */
interface Epoch {
  readonly version: string
  readonly through: number
}

/** A definition as it was last seen. */
interface Kept {
  readonly tag: string
  /** The definition's JSON. */
  readonly text: string
  /** Objects may have been stored under another definition: they are brought into form when they are read. */
  readonly hasOlderObjects: boolean
}

/** What the object that holds the collection asks of its store. */
export interface CollectionState {
  readonly isEmpty: (prefix: string) => boolean
  /** The resourceVersion of the last write. */
  readonly resourceVersion: () => number
  /** By which conversion webhooks are reached. */
  readonly outside: WebhookTransport
  /** Ends what goes on under the definition of before: clients ask again. */
  readonly endWatches: () => void
}

/** Keeps the definition of one collection; without one there are no kinds. */
export class CollectionDefinition {
  readonly #storage: DurableObjectStorage
  readonly #objects: CollectionClient
  readonly #name: string
  readonly #state: CollectionState
  #kept: Kept | undefined
  #kinds: ReadonlyMap<string, Kind> | undefined
  #epochs: readonly Epoch[] | undefined
  #storageVersion: string | undefined
  /** Tags of before: whoever still has one acts on what was true a second ago. */
  readonly #old = new Set<string>()

  /** @param name of the object: `<cluster>/<group>/<resource>` */
  constructor(storage: DurableObjectStorage, objects: CollectionClient, name: string, state: CollectionState) {
    this.#storage = storage
    this.#objects = objects
    this.#name = name
    this.#state = state
  }

  /** The kind in a version; undefined where the definition, as far as it is known here, has none. */
  kindOf(group: string, version: string, resource: string): Kind | undefined {
    const kind = this.#current()?.get(version)
    return kind !== undefined && kind.group === group && kind.resource === resource ? kind : undefined
  }

  /** The kind in the version in which objects are stored. */
  get storageKind(): Kind | undefined {
    const [any] = this.#current()?.values() ?? []
    return any === undefined ? undefined : this.#current()?.get(any.storage.version)
  }

  /** Has the definition of this tag, or a newer one, at hand. */
  async require(tag: string): Promise<void> {
    this.#read()
    if (this.#kept?.tag === tag || this.#old.has(tag)) return
    const found = await askDefinition(this.#objects, { name: this.#definitionName })
    if (found === undefined) return
    await turnFor(found.text)
    if (found.tag === this.#kept?.tag) this.#old.add(tag)
    else this.#keep(found)
  }

  #keep({ tag, text }: { readonly tag: string; readonly text: string }): void {
    const before = this.#kept
    if (before !== undefined) this.#old.add(before.tag)
    this.#old.delete(tag)
    if (before !== undefined) this.#endEpoch(storageVersionIn(before.text), storageVersionIn(text))
    const hasOlderObjects = before !== undefined && !this.#state.isEmpty(`${this.#definitionName}/`)
    this.#kept = { tag, text, hasOlderObjects }
    this.#storage.kv.put(definitionKey, this.#kept)
    this.#kinds = undefined
    this.#storageVersion = undefined
    if (before !== undefined) this.#state.endWatches()
  }

  /** What is written from now on is stored in another version. */
  #endEpoch(before: string, after: string): void {
    if (before === after) return
    this.#epochs = [...this.#storedBefore(), { version: before, through: this.#state.resourceVersion() }]
    this.#storage.kv.put(epochsKey, this.#epochs)
  }

  #storedBefore(): readonly Epoch[] {
    this.#epochs ??= this.#storage.kv.get<readonly Epoch[]>(epochsKey) ?? []
    return this.#epochs
  }

  /** `<resource>.<group>`: also how keys of the collection begin. */
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

  /** What is of no epoch that has ended is of today's version, also for kinds of a definition that has just been replaced. */
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
