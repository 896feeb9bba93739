/** The definition of the custom resources that a collection's object holds, kept beside them. */
import type { Kind } from '../../catalog/kind.ts'
import type { Objects } from '../../clusters/objects.ts'
import { clusterOf, controlOf } from '../../clusters/placement.ts'
import type { CustomResourceDefinition } from '../../crd/definition.ts'
import { kindsOf } from '../../crd/kind.ts'
import { parseJson } from '../../meta/json.ts'

/** Where it is kept. */
const definitionKey = 'definition'

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
}

/** Keeps the definition of one collection; without one there are no kinds. */
export class CollectionDefinition {
  readonly #storage: DurableObjectStorage
  readonly #objects: Objects
  readonly #name: string
  readonly #state: CollectionState
  #kept: Kept | undefined
  #kinds: ReadonlyMap<string, Kind> | undefined
  /** Tags of before: whoever still has one acts on what was true a second ago. */
  readonly #old = new Set<string>()

  /** @param name of the object: `<cluster>/<group>/<resource>` */
  constructor(storage: DurableObjectStorage, objects: Objects, name: string, state: CollectionState) {
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
    const query = new URLSearchParams({ name: this.#definitionName })
    const control = this.#objects.get(controlOf(clusterOf(this.#name)))
    const response = await control.fetch(`http://control/definition?${query}`)
    if (!response.ok) return
    const found = (await response.json()) as { readonly tag: string; readonly text: string }
    if (found.tag === this.#kept?.tag) this.#old.add(tag)
    else this.#keep(found)
  }

  #keep({ tag, text }: { readonly tag: string; readonly text: string }): void {
    const before = this.#kept
    if (before !== undefined) this.#old.add(before.tag)
    this.#old.delete(tag)
    const hasOlderObjects = before !== undefined && !this.#state.isEmpty(`${this.#definitionName}/`)
    this.#kept = { tag, text, hasOlderObjects }
    this.#storage.kv.put(definitionKey, this.#kept)
    this.#kinds = undefined
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
    const definition = (): CustomResourceDefinition => parseJson(text) as unknown as CustomResourceDefinition
    this.#kinds ??= kindsOf(definition(), tag, hasOlderObjects ? 'renewed' : 'as stored')
    return this.#kinds
  }
}
