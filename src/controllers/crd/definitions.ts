/**
 * An index of the control object's definitions for other parts of the server. Each definition is read again only after a change.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { DefinitionSummaries, DefinitionSummary } from '../../clusters/definition-summary.ts'
import {
  type CustomResourceDefinition,
  type DefinitionNames,
  type DefinitionSpec,
  definitionPrefix,
  isTrue,
} from '../../crd/definition.ts'
import { kindsOf } from '../../crd/kind.ts'
import { summaryOf } from '../../crd/summary.ts'
import { partsOf } from '../../registry/status-write.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { Store, Stored } from '../../storage/store.ts'
import type { TakenNames } from './names.ts'

const pageRows = 100

/** A definition without its schemas. */
interface Entry {
  readonly group: string
  readonly acceptedNames: DefinitionNames
  readonly isDeleted: boolean
  /** Whether a requested name is taken by another definition. */
  readonly waits: boolean
  readonly summary: DefinitionSummary | undefined
}

/** A spec without its schemas, and the uid and generation of its definition: a status or metadata update does not change it. */
interface KnownSpec {
  readonly uid: string | undefined
  readonly generation: number | undefined
  readonly spec: DefinitionSpec
}

function withoutSchemas({ versions, ...spec }: DefinitionSpec): DefinitionSpec {
  return { ...spec, versions: versions.map(({ schema: _, ...version }) => version) }
}

/** The index of all definitions by name. */
export class Definitions {
  readonly #store: Store
  readonly #entries = new Map<string, Entry>()
  readonly #kinds = new Map<string, Kind>()
  readonly #specs = new Map<string, KnownSpec>()
  /** Names that have changed since they were read; undefined before the first read. */
  #changed: Set<string> | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** Records changed keys; without keys, anything may have changed. */
  changed(keys: readonly string[]): void {
    if (keys.length === 0) {
      this.#changed = undefined
      return
    }
    for (const key of keys) if (key.startsWith(definitionPrefix)) this.#changed?.add(key.slice(definitionPrefix.length))
  }

  /** Returns the stored definition without the schemas of its versions. */
  get(name: string): CustomResourceDefinition | undefined {
    const stored = this.#store.get(definitionPrefix + name)
    if (stored !== undefined) return this.#outline(name, stored)
    this.#specs.delete(name)
    return undefined
  }

  /** Parses the spec, which is large, only if the uid or generation has changed. */
  #outline(name: string, stored: Stored): CustomResourceDefinition {
    const outline = partsOf(stored.value)?.outline
    const known = this.#specs.get(name)
    if (outline !== undefined && known !== undefined) {
      const { uid, generation } = outline.metadata
      if (known.uid === uid && known.generation === generation) {
        return { ...outline, spec: known.spec } as unknown as CustomResourceDefinition
      }
    }
    const definition = objectOf(stored) as CustomResourceDefinition
    const { uid, generation } = definition.metadata
    const spec = withoutSchemas(definition.spec)
    this.#specs.set(name, { uid, generation, spec })
    return { ...definition, spec }
  }

  /** Returns the summaries of all served definitions. */
  summaries(): DefinitionSummaries {
    const served = [...this.#current()].flatMap(([name, { summary }]) =>
      summary === undefined ? [] : [[name, summary] as const],
    )
    return Object.fromEntries(served)
  }

  /** Returns the summary of a served definition. Reads only that definition unless all are known. */
  summary(name: string): DefinitionSummary | undefined {
    if (this.#changed !== undefined) return this.#current().get(name)?.summary
    const definition = this.get(name)
    return definition === undefined ? undefined : summaryOf(definition)
  }

  /**
   * Returns the kind in its storage version, without schemas, for operations on the collection that holds its objects. Undefined
   * if the definition is not served.
   */
  storageKind(name: string): Kind | undefined {
    const tag = this.summary(name)?.tag
    if (tag === undefined) return undefined
    const known = this.#kinds.get(name)
    if (known?.definition?.tag === tag) return known
    const definition = this.get(name)
    const kinds = definition === undefined ? undefined : kindsOf(definition, tag)
    const kind = [...(kinds?.values() ?? [])].find(({ version, storage }) => version === storage.version)
    if (kind === undefined) this.#kinds.delete(name)
    else this.#kinds.set(name, kind)
    return kind
  }

  /** Returns the name of the definition of a kind. */
  nameOfKind(group: string, kind: string): string | undefined {
    return this.ofGroup(group).find((name) => this.summary(name)?.kind === kind)
  }

  /** Returns the names of the definitions of a group. */
  ofGroup(group: string): string[] {
    return [...this.#current()].filter(([, entry]) => entry.group === group).map(([name]) => name)
  }

  /** Returns the names of the definitions of a group that lack a requested name. */
  waitingIn(group: string): string[] {
    return this.ofGroup(group).filter((name) => this.#entries.get(name)?.waits === true)
  }

  /** Returns the names of the definitions that are being deleted. */
  deleted(): string[] {
    return [...this.#current()].filter(([, { isDeleted }]) => isDeleted).map(([name]) => name)
  }

  /** Returns the accepted names of a group. */
  takenIn(group: string): TakenNames {
    const given = this.ofGroup(group).map((name) => this.#entries.get(name)?.acceptedNames)
    const resources = given.flatMap((names) => [names?.plural ?? '', names?.singular ?? '', ...(names?.shortNames ?? [])])
    const kinds = given.flatMap((names) => [names?.kind ?? '', names?.listKind ?? ''])
    return { resources: new Set(resources), kinds: new Set(kinds) }
  }

  #current(): ReadonlyMap<string, Entry> {
    if (this.#changed === undefined) this.#readAll()
    else for (const name of this.#changed) this.#read(name, this.get(name))
    this.#changed = new Set()
    return this.#entries
  }

  #read(name: string, definition: CustomResourceDefinition | undefined): void {
    if (definition === undefined) {
      this.#entries.delete(name)
      return
    }
    const { spec, status, metadata } = definition
    this.#entries.set(name, {
      group: spec.group,
      acceptedNames: status?.acceptedNames ?? { plural: '', kind: '' },
      isDeleted: metadata.deletionTimestamp !== undefined,
      waits: !isTrue(definition, 'NamesAccepted'),
      summary: summaryOf(definition),
    })
  }

  #readAll(): void {
    this.#entries.clear()
    this.#specs.clear()
    for (let after = ''; ; ) {
      const { resourceVersion } = this.#store
      const page = this.#store.list({ prefix: definitionPrefix, after, limit: pageRows, resourceVersion })
      for (const stored of page.items) {
        const name = stored.key.slice(definitionPrefix.length)
        this.#read(name, this.#outline(name, stored))
      }
      if (!page.more) return
      after = page.items.at(-1)?.key ?? after
    }
  }
}
