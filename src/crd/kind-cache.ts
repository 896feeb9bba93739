/**
 * The Worker's cache of custom resource kinds: they are found by the policy snapshot; schemas are fetched when they are needed.
 */

import type { Kind } from '../catalog/kind.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import { controlProtocol } from '../clusters/control-protocol.ts'
import type { DefinitionSummaries, DefinitionSummary } from '../clusters/definition-summary.ts'
import { send } from '../clusters/message.ts'
import type { Asker, PolicyCache } from '../clusters/policy.ts'
import { parseJson } from '../go/json.ts'
import { LruCache } from '../meta/lru-cache.ts'
import { memoryBudget } from '../meta/memory-budget.ts'
import { waitIfLong } from '../meta/parts.ts'
import type { CustomResourceDefinition } from './definition.ts'
import { compiledBytes, kindsOf } from './kind.ts'

/** A kind with the current state of its definition. */
export interface FoundKind {
  readonly kind: Kind
  readonly isTerminating: boolean
}

/** A parsed definition in the state that its tag identifies. */
interface Read {
  readonly tag: string
  readonly definition: CustomResourceDefinition
  readonly characters: number
}

interface Known extends Read {
  readonly kinds: ReadonlyMap<string, Kind>
}

/** The most bytes of cached definitions. */
const mostBytes = 32 * 1024 * 1024

const own = (summaries: DefinitionSummaries, name: string): DefinitionSummary | undefined =>
  Object.hasOwn(summaries, name) ? summaries[name] : undefined

/** The custom kinds of one cluster in this isolate. */
export class KindCache {
  readonly #objects: CollectionClient
  readonly #policy: PolicyCache
  readonly #known = new LruCache<string, Known>(mostBytes, (_name, { characters }) => compiledBytes(characters), memoryBudget)

  constructor(objects: CollectionClient, policy: PolicyCache) {
    this.#objects = objects
    this.#policy = policy
  }

  /**
   * Returns the kind of a resource in a version; undefined if no definition serves it, which is checked against the current
   * snapshot.
   */
  async find(group: string, version: string, resource: string, asker?: Asker): Promise<FoundKind | undefined> {
    const name = `${resource}.${group}`
    const isServed = (summary: DefinitionSummary | undefined): boolean =>
      summary?.versions.some((served) => served.name === version) === true
    // A definition that is being deleted may be gone already: as for a missing one, the answer must come from the current
    // snapshot.
    const stays = (summary: DefinitionSummary | undefined): boolean => isServed(summary) && summary?.isTerminating === false
    const summary = await this.#policy.answer(({ definitions }) => own(definitions, name), stays, asker, 'settled')
    if (summary === undefined || !isServed(summary)) return undefined
    const known = await this.#read(name, summary.tag)
    const kind = known?.kinds.get(version)
    if (kind === undefined) return undefined
    return { kind, isTerminating: summary.isTerminating }
  }

  /** Returns the current definition of a kind in a version; undefined if no definition serves it. */
  async definitionOf(group: string, version: string, kind: string): Promise<DefinitionSummary | undefined> {
    const serves = (one: DefinitionSummary): boolean =>
      one.group === group && one.kind === kind && one.isEstablished && one.versions.some(({ name }) => name === version)
    return Object.values(await this.summaries()).find(serves)
  }

  /** Returns the summaries of all currently served definitions. */
  async summaries(asker?: Asker): Promise<DefinitionSummaries> {
    return (await this.#policy.refresh(asker)).definitions
  }

  /** Fetches the current definition for a single use; undefined if it does not exist. */
  async definition(name: string): Promise<CustomResourceDefinition | undefined> {
    return (await this.#ask(name))?.definition
  }

  async #read(name: string, tag: string): Promise<Known | undefined> {
    const known = this.#known.get(name)
    if (known?.tag === tag) return known
    const found = await this.#ask(name)
    if (found === undefined) return undefined
    const made = { ...found, kinds: kindsOf(found.definition, found.tag) }
    this.#known.set(name, made)
    return made
  }

  async #ask(name: string): Promise<Read | undefined> {
    const found = await send(this.#objects.control(), controlProtocol.definition, { name })
    if (found === undefined) return undefined
    const { tag, text } = found
    await waitIfLong(text)
    return { tag, definition: parseJson(text) as unknown as CustomResourceDefinition, characters: text.length }
  }
}
