/**
 * Writes the tables of versions that are not served by default. Most of their types equal those of another version: such a table
 * names them instead of repeating them.
 */
import type { VersionTable } from '../../src/schema/tables.ts'
import {
  comment,
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
import type { VersionText } from './version-text.ts'

/** Returns the path of a table's file in the generated folder. */
export function unservedFile(table: VersionTable): string {
  return `unserved/${table.package}.${table.version}.ts`
}

function renderUnservedStructs(table: VersionTable, { table: own, shared }: VersionText, bases: Bases): string {
  const named = [...shared].map(([name, types]) => {
    const base = bases.get(name)
    if (base === undefined) throw new Error(`${tableName(table)} shares types of ${name}, which has no generated table`)
    return { base, types }
  })
  const imports = named.map(({ base: { variable, file } }) => `import { table as ${variable} } from '../${file}'\n`)
  const spreads = named.map(({ base, types }) => `    ...typesOfVersion(${base.variable}, table, ${literal(types.join(' '))}),\n`)
  return [
    comment,
    "import type { VersionTable } from '../../../schema/tables.ts'\n",
    shared.size === 0 ? '' : "import { typesOfVersion } from '../../types-of-version.ts'\n",
    imports.sort().join(''),
    typesFunction(
      [...spreads, ...Object.entries(own.types).map(([name, type]) => renderEntry(name, renderType(type)))],
      shared.size === 0 ? '_table' : 'table',
    ),
  ].join('')
}

function renderIndex(tables: readonly VersionTable[]): string {
  const imports = tables.map((table) => `import { table as ${variable(table)} } from './${unservedFile(table)}'\n`)
  return [
    comment,
    "import type { VersionTable } from '../../schema/tables.ts'\n",
    imports.join(''),
    '\n/** The tables of versions that are not served by default: older, newer and removed ones. */\n',
    `export const unserved: readonly VersionTable[] = [\n${tables.map((table) => `  ${variable(table)},\n`).join('')}]\n`,
  ].join('')
}

/** The generated modules of tables, by the name of the table. */
type Bases = ReadonlyMap<string, { readonly variable: string; readonly file: string }>

/**
 * Returns the generated files of the unserved tables, by path.
 * @param versions the texts, which name the types that a table shares with others
 */
export function renderUnserved(
  unserved: readonly VersionTable[],
  served: readonly VersionTable[],
  versions: readonly VersionText[],
): Map<string, string> {
  const texts = new Map(versions.map((text) => [tableName(text.table), text]))
  const bases: Bases = new Map([
    ...served.map((table) => [tableName(table), { variable: variable(table), file: tableFile(table) }] as const),
    ...unserved.map((table) => [tableName(table), { variable: variable(table), file: unservedFile(table) }] as const),
  ])
  const files = unserved.flatMap((table): [string, string][] => {
    const text = texts.get(tableName(table))
    if (text === undefined) throw new Error(`no text of ${tableName(table)}`)
    return [
      [unservedFile(table), renderTable(table, '../')],
      [structsFile(table), renderUnservedStructs(table, text, bases)],
    ]
  })
  return new Map([...files, ['unserved.ts', renderIndex(unserved)]])
}
