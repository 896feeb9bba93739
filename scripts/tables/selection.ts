/** Selects the tables that the server needs, each for its purpose. */
import { compareVersions } from '../../src/meta/version-order.ts'
import type { VersionTable } from '../../src/schema/tables.ts'
import { expressions, references, splitReference, tableName } from './type-references.ts'
import type { VersionText } from './version-text.ts'

/** The tables by their purpose. */
export interface Selection {
  /** Served by default, in discovery order. */
  readonly served: readonly VersionTable[]
  /** The served tables, and every table that their types refer to. */
  readonly referred: readonly VersionTable[]
  /** Tables of types that appear in responses but are not objects of resources. */
  readonly answers: readonly VersionTable[]
  /** Tables with resources that are not served by default. */
  readonly unserved: readonly VersionTable[]
  /** The newest unserved versions of resources that no served version has. */
  readonly optional: readonly VersionTable[]
}

/** A table with the sources of its resources. */
export type SourcedTable = Pick<VersionText, 'table' | 'unlisted'>

const ANSWERS: ReadonlySet<string> = new Set(['apidiscovery/v2', 'meta/v1beta1'])

/** Returns the table without the gone kinds: the scheme of the emulated release does not know them. */
export function withoutGone({ table, unlisted }: SourcedTable): VersionTable {
  const gone = table.resources.filter(({ resource }) => unlisted.get(resource) === 'gone')
  const names = new Set(gone.flatMap(({ kind }) => [kind, `${kind}List`]))
  return { ...table, types: Object.fromEntries(Object.entries(table.types).filter(([name]) => !names.has(name))) }
}

/** Returns the tables that the types of `from` refer to, directly or indirectly. */
function referredTables(from: readonly VersionTable[], tables: readonly VersionTable[]): VersionTable[] {
  const all = new Set(from)
  for (const table of all) {
    const names = new Set(
      expressions(table)
        .flatMap(references)
        .map((reference) => splitReference(reference).table),
    )
    for (const other of tables) if (names.has(tableName(other))) all.add(other)
  }
  return [...all]
}

/** Returns the newest versions of resources that this release serves only if it is told to. */
function optionalTables(unserved: readonly SourcedTable[], served: readonly VersionTable[]): VersionTable[] {
  const keysOf = ({ group, resources, types }: VersionTable): string[] =>
    resources.filter(({ kind }) => kind in types).map(({ resource }) => `${group}/${resource}`)
  const keys = new Set(served.flatMap(keysOf))
  return unserved
    .toSorted((one, other) => compareVersions(one.table.version, other.table.version))
    .map(withoutGone)
    .filter((table) => {
      const isNew = keysOf(table).some((key) => !keys.has(key))
      for (const key of keysOf(table)) keys.add(key)
      return isNew
    })
}

/**
 * Selects from all tables.
 * @param served the names of the tables that are served by default: `core/v1`
 * @throws Error if one of them has no table
 */
export function select(sourced: readonly SourcedTable[], served: readonly string[]): Selection {
  const tables = sourced.map(({ table }) => table)
  const servedTables = served.map((name) => {
    const table = tables.find((candidate) => tableName(candidate) === name)
    if (table === undefined) throw new Error(`${name} is served, but has no table`)
    return table
  })
  const referred = referredTables(servedTables, tables)
  const unserved = sourced.filter(({ table }) => table.resources.length > 0 && !referred.includes(table))
  return {
    served: servedTables,
    referred,
    answers: tables.filter((table) => ANSWERS.has(tableName(table))),
    unserved: unserved.map(({ table }) => table),
    optional: optionalTables(unserved, servedTables),
  }
}
