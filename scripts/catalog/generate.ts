/**
 * Writes the texts of src/catalog/tables from the Go modules that extract/go.mod names, and src/catalog/generated from the texts:
 *
 *   node scripts/catalog/generate.ts [--check]
 *
 * Needs Go. Prints the differences between the markers in the Go sources and client-go's structured-merge-diff schema. With
 * --check nothing is written: the script fails if a text differs from what the modules say, and names the lines.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { VersionTable } from '../../src/schema/tables.ts'
import { writeInternal } from '../tables/internal-text.ts'
import { INTERNAL, RELEASES, readServed, SERVED, textOf } from '../tables/render-all.ts'
import { type Selection, type SourcedTable, select } from '../tables/selection.ts'
import { sharedWith } from '../tables/shared-types.ts'
import { TableIndex, tableName } from '../tables/type-references.ts'
import { textFile, type UnlistedSource, type VersionText, writeVersion } from '../tables/version-text.ts'
import { generate, readTexts, textFolder } from '../tables.mjs'
import { columnTables } from './columns.ts'
import { extractFacts, type PackageFacts } from './facts.ts'
import { goneResources, goneSources, withGone } from './gone.ts'
import { internalTypes } from './internal-types.ts'
import { writeManifest } from './manifest.ts'
import { downloadModules, type GoModules, moduleOf, packageSources } from './modules.ts'
import { readSchema, settleOwnership } from './ownership.ts'
import { protobufDifferences } from './protobuf-check.ts'
import { type RecordedResources, readRecordedResources, resourceTables } from './resources.ts'
import { strategyFacts } from './strategies.ts'
import { FactsIndex, typeTables } from './types.ts'

function versionTables(packages: readonly PackageFacts[], recorded: RecordedResources): VersionTable[] {
  const index = new FactsIndex(packages)
  return packages.map((facts) => {
    const [name = '', version = ''] = facts.name.split('/')
    const types = typeTables(facts, index)
    return { group: facts.groupName, version, package: name, resources: resourceTables(facts, types, recorded), types }
  })
}

/** Returns the sources of the resources that discovery does not list. */
function unlistedResources(table: VersionTable, { served, optional }: RecordedResources): Map<string, UnlistedSource> {
  const gone = new Set(goneResources(tableName(table)))
  const versions = [...served, ...optional].filter(({ group, version }) => group === table.group && version === table.version)
  const listed = new Set(versions.flatMap(({ resources }) => resources.map(({ resource }) => resource)))
  const sources = table.resources.map(({ resource }): [string, UnlistedSource | undefined] => [
    resource,
    gone.has(resource) ? 'gone' : listed.has(resource) ? undefined : 'clients',
  ])
  return new Map(sources.flatMap(([resource, source]) => (source === undefined ? [] : [[resource, source]])))
}

/** The table with the columns of scales, which are no resource. */
const SCALES = { collection: 'scales.autoscaling', table: 'autoscaling/v1' }

/**
 * Returns facts by table, from facts by `<resource>[.<group>]`: each goes to the first table that has the resource, in the order
 * of `tables`.
 */
function byTable<T>(facts: ReadonlyMap<string, T>, tables: readonly VersionTable[]): ReadonlyMap<string, ReadonlyMap<string, T>> {
  const tableFacts = new Map<string, Map<string, T>>()
  for (const [collection, fact] of facts) {
    const [resource = '', ...group] = collection.split('.')
    const home = tables.find((t) => t.group === group.join('.') && t.resources.some((own) => own.resource === resource))
    const name = home === undefined ? SCALES.table : tableName(home)
    if (home === undefined && collection !== SCALES.collection) throw new Error(`no table has ${collection}`)
    tableFacts.set(name, (tableFacts.get(name) ?? new Map<string, T>()).set(resource, fact))
  }
  return tableFacts
}

function withoutTypes({ types, ...table }: VersionTable, names: ReadonlySet<string>): VersionTable {
  return { ...table, types: Object.fromEntries(Object.entries(types).filter(([name]) => !names.has(name))) }
}

/** Returns the contents of each table's text. */
function versionTexts(sourced: readonly SourcedTable[], selection: Selection, modules: GoModules): VersionText[] {
  const { served, referred, answers, unserved, optional } = selection
  const tables = sourced.map(({ table }) => table)
  const whole = [...referred, ...answers]
  const shared = sharedWith(
    referred,
    tables.filter((table) => !whole.includes(table)),
  )
  const newest = [...served, ...optional, ...unserved]
  const columns = byTable(columnTables(modules, [...unserved, ...served], new TableIndex(tables)), newest)
  const strategies = byTable(strategyFacts(modules, [...served, ...optional]), newest)
  return sourced.map(({ table, unlisted }) => {
    const name = tableName(table)
    const own = shared.get(name) ?? new Map<string, readonly string[]>()
    return {
      table: withoutTypes(table, new Set([...own.values()].flat())),
      unlisted,
      shared: own,
      columns: columns.get(name) ?? new Map(),
      strategies: strategies.get(name) ?? new Map(),
    }
  })
}

/** Writes the texts, and removes those of versions that are gone. */
function writeTexts(texts: ReadonlyMap<string, string>, current: ReadonlyMap<string, string>): void {
  for (const [name, text] of texts) writeFileSync(join(textFolder, name), text)
  for (const name of current.keys()) if (!texts.has(name)) rmSync(join(textFolder, name))
  writeManifest()
}

/** Returns the places at which the current texts differ: the first such line of each. */
function differences(texts: ReadonlyMap<string, string>, current: ReadonlyMap<string, string>): string[] {
  return [...new Set([...texts.keys(), ...current.keys()])].flatMap((name) => {
    const [wanted, own] = [texts, current].map((some) => (some.get(name) ?? '').split('\n'))
    const line = wanted?.findIndex((text, index) => text !== own?.[index]) ?? -1
    return texts.get(name) === current.get(name)
      ? []
      : [`${name}:${Math.max(line, 0) + 1}: the modules say: ${wanted?.[line] ?? ''}`]
  })
}

function checkProtobuf(tables: readonly VersionTable[], folders: ReadonlyMap<string, string>): void {
  const found = tables.flatMap((table) => {
    const folder = folders.get(tableName(table))
    return folder === undefined ? [] : protobufDifferences(table, join(folder, 'generated.proto'), tables)
  })
  if (found.length > 0) throw new Error(`the tables and generated.proto differ:\n${found.join('\n')}`)
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const current = readTexts()
const recorded = readRecordedResources()
const modules = downloadModules()
const sources = packageSources(modules)
const gone = goneSources()
const facts = extractFacts([...sources, ...gone])
const tables = versionTables(withGone(facts.slice(0, sources.length), facts.slice(sources.length)), recorded)
const schema = readSchema(join(moduleOf(modules, 'k8s.io/client-go').dir, 'applyconfigurations', 'internal', 'internal.go'))
for (const difference of settleOwnership(tables, schema)) console.log(`ownership: ${difference}`)
checkProtobuf(tables, new Map(sources.filter((s) => !s.name.startsWith('apidiscovery/')).map((s) => [s.name, s.dir])))
const sourced = tables.map((table) => ({ table, unlisted: unlistedResources(table, recorded) }))
const selection = select(sourced, readServed(current))
for (const table of selection.referred) {
  if (!selection.served.includes(table)) console.log(`not served, but referred to: ${tableName(table)}`)
}
const texts = new Map([
  ...versionTexts(sourced, selection, modules).map((text) => [textFile(text.table), writeVersion(text)] as const),
  [INTERNAL, writeInternal(internalTypes(modules))],
  ...[RELEASES, SERVED].map((name) => [name, textOf(current, name)] as const),
])
if (values.check) {
  for (const difference of differences(texts, current)) {
    console.error(difference)
    process.exitCode = 1
  }
} else {
  writeTexts(texts, current)
  await generate()
  console.log(`${tables.length} tables`)
}
