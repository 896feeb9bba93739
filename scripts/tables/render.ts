/** Writes tables as TypeScript modules. */
import type { ResourceLifecycle } from '../../src/catalog/lifecycle.ts'
import type { ResourceTable, TypeTable, VersionTable } from '../../src/schema/tables.ts'
import { type InternalFieldRow, jsonName } from './internal-text.ts'
import type { PriorityRow } from './lifecycles.ts'
import { tableName } from './type-references.ts'
import type { ColumnRow, StrategyFacts } from './version-text.ts'

/** The first line of every generated module. */
export const comment = '// Made by scripts/tables.mjs from src/catalog/tables. Do not edit.\n'

/** Returns the file of a table in the generated folder: `core.v1.ts`. */
export function tableFile(table: VersionTable): string {
  return `${table.package}.${table.version}.ts`
}

/** Returns the file of a table's structs in the generated folder: a module of its own, because a start needs none of them. */
export function structsFile(table: VersionTable): string {
  return `structs/${tableFile(table)}`
}

/**
 * Renders the module that exports one table. Its types are created on first use: most are never used.
 * @param folder the path from the table's folder to that of the generated files
 */
export function renderTable(table: VersionTable, folder = './'): string {
  return [
    comment,
    `import type { VersionTable } from '${folder === './' ? '' : '../'}../../schema/tables.ts'\n`,
    `import { typesOf } from '${folder}${structsFile(table)}'\n`,
    "\nlet types: VersionTable['types'] | undefined\n\n",
    'export const table: VersionTable = {\n',
    `  group: ${literal(table.group)},\n`,
    `  version: ${literal(table.version)},\n`,
    `  package: ${literal(table.package)},\n`,
    renderResources(table.resources),
    '  get types() {\n    types ??= typesOf(this)\n    return types\n  },\n}\n',
  ].join('')
}

/** Renders the module that exports the types of one table. */
export function renderStructs(table: VersionTable): string {
  const types = Object.entries(table.types).map(([name, type]) => renderEntry(name, renderType(type, name)))
  const enums = Object.entries(table.types).flatMap(([name, type]) => ('enum' in type ? [name] : []))
  return [
    comment,
    "import type { VersionTable } from '../../../schema/tables.ts'\n",
    enums.length === 0 ? '' : `import { ${enums.join(', ')} } from '../types/${tableFile(table)}'\n`,
    typesFunction(types, '_table'),
  ].join('')
}

/** Writes the function that makes the types of a table. @param parameter the name of the table in the members */
export function typesFunction(members: readonly string[], parameter: string): string {
  return `\nexport function typesOf(${parameter}: VersionTable): VersionTable['types'] {\n  return {\n${members.join('')}  }\n}\n`
}

/** Renders the module that exports the tables served by default, and those that they refer to. */
export function renderServed(served: readonly VersionTable[], referred: readonly VersionTable[]): string {
  const all = [...new Set([...served, ...referred])].sort((a, b) => (tableFile(a) < tableFile(b) ? -1 : 1))
  const imports = all.map((table) => `import { table as ${variable(table)} } from './${tableFile(table)}'\n`)
  const entries = all.map((table) => `  [${literal(tableName(table))}, ${variable(table)}],\n`)
  return [
    comment,
    "import type { VersionTable } from '../../schema/tables.ts'\n",
    imports.join(''),
    '\n/** The tables served by default, in discovery order: groups by priority, versions by preference. */\n',
    `export const served: readonly VersionTable[] = [\n${served.map((table) => `  ${variable(table)},\n`).join('')}]\n`,
    '\n/** The served tables and every table that their types refer to, by `<package>/<version>`. */\n',
    `export const typeTables: ReadonlyMap<string, VersionTable> = new Map([\n${entries.join('')}])\n`,
  ].join('')
}

/** Writes a field as words: its name in Go, its name in JSON unless that follows from the first, its type. */
function internalField([name, json, type]: InternalFieldRow): string {
  return json === jsonName(name) ? `${name} ${type}` : `${name} ${json} ${type}`
}

/** Renders the module with the fields of internal types: one text for each struct, because few are ever used. */
export function renderInternal(types: ReadonlyMap<string, readonly InternalFieldRow[]>): string {
  const structs = [...types].map(([name, fields]) => `  ${key(name)}: ${literal(fields.map(internalField).join())},\n`)
  return [
    comment,
    '/**\n * Structs of internal types: comma-separated fields, each with its name in Go, its name in JSON unless that is the Go name with\n',
    ' * a lower-case first letter, and its type. A field without a name is embedded: the fields of its type are inlined.\n */\n',
    `export const internalTypes: Readonly<Record<string, string>> = {\n${structs.join('')}}\n`,
  ].join('')
}

/** Renders the module with the columns of tables. A column that several collections share is written once. */
export function renderColumns(tables: ReadonlyMap<string, readonly ColumnRow[]>): string {
  const shared = new Map<string, string>()
  const texts = [...tables.values()].flat().map(literal)
  for (const text of new Set(texts)) {
    if (texts.indexOf(text) !== texts.lastIndexOf(text)) shared.set(text, `column${shared.size}`)
  }
  const constants = [...shared].map(([text, name]) => `const ${name} = ${text} as const\n`)
  const entries = [...tables].map(([collection, columns]) => {
    const lines = columns.map(literal).map((text) => `    ${shared.get(text) ?? text},\n`)
    return `  ${key(collection)}: [\n${lines.join('')}  ],\n`
  })
  return [
    comment,
    constants.join(''),
    '\n/** The columns by `<resource>[.<group>]`: name, description or the field with the description, type, format, priority. */\n',
    `export const columns = {\n${entries.join('')}} as const\n`,
  ].join('')
}

/** Renders the module that exports the facts of strategies. */
export function renderStrategies(facts: ReadonlyMap<string, StrategyFacts>): string {
  return [
    comment,
    '/** Facts of strategies that differ from the default strategy, by `<resource>[.<group>]`. */\n',
    `export const strategies = {\n${[...facts].map(([name, fact]) => `  ${key(name)}: ${literal(fact)},\n`).join('')}} as const\n`,
  ].join('')
}

/** Renders the module with the lifecycle of each resource in each version. */
export function renderLifecycles(rows: readonly ResourceLifecycle[]): string {
  return [
    comment,
    "import type { ResourceLifecycle } from '../lifecycle.ts'\n",
    '\n/** Every resource in every version that a release since 1.15 can serve, sorted by group, version and resource. */\n',
    `export const lifecycles: readonly ResourceLifecycle[] = [\n${rows.map((row) => `  ${literal(row)},\n`).join('')}]\n`,
  ].join('')
}

/** Renders the module with the priorities of groups and versions. */
export function renderPriorities(rows: ReadonlyMap<string, readonly PriorityRow[]>): string {
  const lines = [...rows].map(([name, changes]) => `  ${key(name)}: ${literal(changes)},\n`)
  return [
    comment,
    '/** By `<group>/<version>`: the first minor release with these priorities, that of the group, and that of the version. */\n',
    'export const priorities: Readonly<Record<string, readonly (readonly [from: number, group: number, version: number])[]>> = {\n',
    `${lines.join('')}}\n`,
  ].join('')
}

/** Returns the name of a table's variable in generated modules. */
export function variable(table: VersionTable): string {
  return `${table.package}${table.version.replace(/^v/, 'V')}`
}

/** Renders the resources of a table. */
export function renderResources(resources: readonly ResourceTable[]): string {
  if (resources.length === 0) return '  resources: [],\n'
  const lines = resources.map((resource) => {
    const parts = Object.entries(resource).map(([name, value]) => `      ${name}: ${renderPart(name, value)},\n`)
    return `    {\n${parts.join('')}    },\n`
  })
  return `  resources: [\n${lines.join('')}  ],\n`
}

/** Writes a part of a resource: subresources on one line each, everything else on a single line. */
function renderPart(name: string, value: unknown): string {
  if (name !== 'subresources' || !Array.isArray(value)) return literal(value)
  return `[\n${value.map((subresource) => `        ${literal(subresource)},\n`).join('')}      ]`
}

/** Writes a member of a table's types. */
export function renderEntry(name: string, type: string): string {
  return `    ${key(name)}: ${type},\n`
}

/**
 * Writes a type.
 * @param values the name of the constant with the values of an enumeration; without it they are written out
 */
export function renderType(type: TypeTable, values?: string): string {
  if ('enum' in type && values !== undefined) return literal(type).replace(literal(type.enum), values)
  if ('alias' in type) return literal(type)
  const { fields, ...rest } = type
  const lines = Object.entries(fields).map(([name, field]) => `        ${key(name)}: ${literal(field)},\n`)
  const head = Object.entries(rest).map(([name, value]) => `      ${name}: ${literal(value)},\n`)
  return `{\n${head.join('')}      fields: {${lines.length === 0 ? '' : `\n${lines.join('')}      `}},\n    }`
}

/** Writes a JSON value on one line, in the style of the sources. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = Object.entries(value).map(([name, part]) => `${key(name)}: ${literal(part)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** Whether the type is an object with TypeMeta and metadata. */
function isTopLevel(type: TypeTable): boolean {
  return 'fields' in type && 'kind' in type.fields && 'apiVersion' in type.fields && 'metadata' in type.fields
}

/**
 * Renders the module with the names of all kinds, including those that are not served: the error for a body of another kind
 * depends on them.
 */
export function renderRegistered(tables: readonly VersionTable[]): string {
  const lines = tables
    .map((table) => ({
      apiVersion: table.group === '' ? table.version : `${table.group}/${table.version}`,
      kinds: Object.entries(table.types)
        .filter(([, type]) => isTopLevel(type))
        .map(([name]) => name),
    }))
    .filter(({ kinds }) => kinds.length > 0)
    .sort((a, b) => (a.apiVersion < b.apiVersion ? -1 : 1))
    .map(({ apiVersion, kinds }) => `  '${apiVersion}': '${kinds.join(' ')}',\n`)
  return [
    comment,
    '/** Every kind of every version that the release knows, by apiVersion: the names, separated by spaces. */\n',
    `export const registered: Readonly<Record<string, string>> = {\n${lines.join('')}}\n`,
  ].join('')
}
