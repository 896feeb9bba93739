/**
 * Writes the tables of versions that are not served by default. Most of their types equal those of another version: such a table
 * names them instead of repeating them.
 */
import { compareVersions } from '../../src/meta/version-order.ts'
import type { TypeTable, VersionTable } from '../../src/schema/tables.ts'
import {
  comment,
  type Heading,
  literal,
  renderEntry,
  renderTable,
  renderType,
  structsFile,
  tableFile,
  typesFunction,
  variable,
} from './render.ts'
import { tableName } from './type-references.ts'

/** Types that equal those of another table, by that table. */
type SharedTypes = ReadonlyMap<VersionTable, readonly string[]>

/** Returns the path of a table's file in the generated folder. */
export function unservedFile(table: VersionTable): string {
  return `unserved/${table.package}.${table.version}.ts`
}

/** Returns a type as text, with the references to its own package made the same for every version. */
function neutral(table: VersionTable, type: TypeTable): string {
  return JSON.stringify(type).replaceAll(`${tableName(table)}.`, 'own.')
}

function sharedTypes(table: VersionTable, bases: readonly VersionTable[]): SharedTypes {
  const shared = new Map<VersionTable, string[]>()
  for (const [name, type] of Object.entries(table.types)) {
    const text = neutral(table, type)
    const base = bases.find(({ types, ...rest }) => {
      const candidate = Object.hasOwn(types, name) ? types[name] : undefined
      return candidate !== undefined && neutral({ types, ...rest }, candidate) === text
    })
    if (base !== undefined) shared.set(base, [...(shared.get(base) ?? []), name])
  }
  return shared
}

/** Returns the tables whose types a table may share: first those of its own package, the newest first. */
function basesOf(table: VersionTable, tables: readonly VersionTable[]): VersionTable[] {
  const own = tables.filter((other) => other.package === table.package)
  return [...own, ...tables.filter((other) => other.package !== table.package && other.package !== 'meta')]
}

function renderUnservedStructs(
  table: VersionTable,
  bases: readonly VersionTable[],
  served: ReadonlySet<VersionTable>,
  heading: Heading,
): string {
  const shared = sharedTypes(table, bases)
  const names = new Set([...shared.values()].flat())
  const own = Object.entries(table.types).filter(([name]) => !names.has(name))
  const imports = [...shared.keys()].map((base) => {
    const file = served.has(base) ? tableFile(base) : unservedFile(base)
    return `import { table as ${variable(base)} } from '../${file}'\n`
  })
  const spreads = [...shared].map(
    ([base, types]) => `    ...typesOfVersion(${variable(base)}, table, ${literal(types.join(' '))}),\n`,
  )
  return [
    comment(heading),
    "import type { VersionTable } from '../../../schema/tables.ts'\n",
    shared.size === 0 ? '' : "import { typesOfVersion } from '../../types-of-version.ts'\n",
    imports.sort().join(''),
    typesFunction(
      [...spreads, ...own.map(([name, type]) => renderEntry(name, renderType(type)))],
      shared.size === 0 ? '_table' : 'table',
    ),
  ].join('')
}

function renderIndex(tables: readonly VersionTable[], heading: Heading): string {
  const imports = tables.map((table) => `import { table as ${variable(table)} } from './${unservedFile(table)}'\n`)
  return [
    comment(heading),
    "import type { VersionTable } from '../../schema/tables.ts'\n",
    imports.join(''),
    '\n/** The tables of versions that are not served by default: older, newer and removed ones. */\n',
    `export const unserved: readonly VersionTable[] = [\n${tables.map((table) => `  ${variable(table)},\n`).join('')}]\n`,
  ].join('')
}

/** Returns the generated files of the unserved tables, by path. */
export function renderUnserved(
  unserved: readonly VersionTable[],
  served: readonly VersionTable[],
  heading: Heading,
): Map<string, string> {
  const isServed = new Set(served)
  const newest = [...unserved].sort((a, b) => compareVersions(a.version, b.version))
  const files = newest.flatMap((table, index): [string, string][] => {
    const bases = basesOf(table, [
      ...[...served].sort((a, b) => compareVersions(a.version, b.version)),
      ...newest.slice(0, index),
    ])
    return [
      [unservedFile(table), renderTable(table, heading, '../')],
      [structsFile(table), renderUnservedStructs(table, bases, isServed, heading)],
    ]
  })
  return new Map([...files, ['unserved.ts', renderIndex(unserved, heading)]])
}
