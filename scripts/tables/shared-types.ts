/** Types that a version has in common with another one: its text names them instead of repeating them. */
import { typesOfVersion } from '../../src/catalog/types-of-version.ts'
import { compareVersions } from '../../src/meta/version-order.ts'
import type { TypeTable, VersionTable } from '../../src/schema/tables.ts'
import { tableName } from './type-references.ts'
import type { VersionText } from './version-text.ts'

/** The names of types that equal those of another table, by the name of that table. */
type SharedTypes = VersionText['shared']

/** Returns a type as text, with the references to its own package made the same for every version. */
function neutral(table: VersionTable, type: TypeTable): string {
  return JSON.stringify(type).replaceAll(`${tableName(table)}.`, 'own.')
}

function sharedTypes(table: VersionTable, bases: readonly VersionTable[]): SharedTypes {
  const shared = new Map<string, string[]>()
  for (const [name, type] of Object.entries(table.types)) {
    const text = neutral(table, type)
    const base = bases.find(({ types, ...rest }) => {
      const candidate = Object.hasOwn(types, name) ? types[name] : undefined
      return candidate !== undefined && neutral({ types, ...rest }, candidate) === text
    })
    if (base !== undefined) shared.set(tableName(base), [...(shared.get(tableName(base)) ?? []), name])
  }
  return shared
}

/** Returns the tables whose types a table may share: first those of its own package, the newest first. */
function basesOf(table: VersionTable, tables: readonly VersionTable[]): VersionTable[] {
  const own = tables.filter((other) => other.package === table.package)
  return [...own, ...tables.filter((other) => other.package !== table.package && other.package !== 'meta')]
}

/**
 * Returns the types that tables share with others, by the name of the table. A table shares those of `bases` and of tables newer
 * than itself.
 */
export function sharedWith(bases: readonly VersionTable[], tables: readonly VersionTable[]): ReadonlyMap<string, SharedTypes> {
  const newest = (some: readonly VersionTable[]): VersionTable[] => some.toSorted((a, b) => compareVersions(a.version, b.version))
  const [sorted, rest] = [newest(bases), newest(tables)]
  return new Map(
    rest.map((table, index) => [tableName(table), sharedTypes(table, basesOf(table, [...sorted, ...rest.slice(0, index)]))]),
  )
}

/** Returns the tables with their shared types, each with its types in the order of their names. */
export function withSharedTypes(texts: readonly VersionText[]): VersionTable[] {
  const byName = new Map(texts.map((text) => [tableName(text.table), text]))
  const complete = new Map<string, VersionTable>()
  const tableOf = (name: string): VersionTable => {
    const done = complete.get(name)
    if (done !== undefined) return done
    const text = byName.get(name)
    if (text === undefined) throw new Error(`a table shares types of ${name}, which has no text`)
    const shared = [...text.shared].map(([base, names]) => typesOfVersion(tableOf(base), text.table, names.join(' ')))
    const types = Object.entries(Object.assign({}, text.table.types, ...shared) as VersionTable['types'])
    const table = { ...text.table, types: Object.fromEntries(types.sort(([a], [b]) => (a < b ? -1 : 1))) }
    complete.set(name, table)
    return table
  }
  return [...byName.keys()].map(tableOf)
}
