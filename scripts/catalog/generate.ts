/**
 * Writes src/catalog/generated from the Go modules that extract/go.mod names:
 *
 *   node scripts/catalog/generate.ts
 *
 * Needs Go. Prints the differences between the markers in the Go sources and client-go's structured-merge-diff schema.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareVersions } from '../../src/meta/version-order.ts'
import type { VersionTable } from '../../src/schema/tables.ts'
import { columnTables } from './columns.ts'
import { extractFacts, type PackageFacts } from './facts.ts'
import { goneSources, withGone, withoutGone } from './gone.ts'
import { internalTypes } from './internal-types.ts'
import { lifecycleRows, priorityTable } from './lifecycles.ts'
import { generatedFiles, generatedFolder, hash, type Manifest, manifestFile, sourceHashes } from './manifest.ts'
import { downloadModules, type GoModules, moduleOf, packageSources } from './modules.ts'
import { readSchema, settleOwnership } from './ownership.ts'
import { protobufDifferences } from './protobuf-check.ts'
import { readReleases } from './releases.ts'
import {
  comment,
  type Heading,
  renderColumns,
  renderInternal,
  renderLifecycles,
  renderPriorities,
  renderRegistered,
  renderServed,
  renderStrategies,
  renderStructs,
  renderTable,
  structsFile,
  tableFile,
} from './render.ts'
import { renderTypes, typesFile } from './render-types.ts'
import { renderUnserved } from './render-unserved.ts'
import { readRecordedResources, resourceTables } from './resources.ts'
import { strategyFacts } from './strategies.ts'
import { expressions, references, splitReference, TableIndex, tableName } from './type-references.ts'
import { FactsIndex, typeTables } from './types.ts'

function versionTables(packages: readonly PackageFacts[]): VersionTable[] {
  const index = new FactsIndex(packages)
  const recorded = readRecordedResources()
  return packages.map((facts) => {
    const [name = '', version = ''] = facts.name.split('/')
    const types = typeTables(facts, index)
    return { group: facts.groupName, version, package: name, resources: resourceTables(facts, types, recorded), types }
  })
}

/** Returns the tables that are served by default, in discovery order. */
function servedTables(tables: readonly VersionTable[]): VersionTable[] {
  return readRecordedResources().served.map(({ group, version }) => {
    const table = tables.find((t) => t.group === group && t.version === version && t.resources.length > 0)
    if (table === undefined) throw new Error(`no table for ${group}/${version}`)
    return table
  })
}

/** Returns the tables that the types of `from` refer to, directly or indirectly. */
function referredTables(from: readonly VersionTable[], tables: readonly VersionTable[]): VersionTable[] {
  const found = new Set(from)
  for (const table of found) {
    const names = new Set(
      expressions(table)
        .flatMap(references)
        .map((reference) => splitReference(reference).table),
    )
    for (const other of tables) if (names.has(tableName(other))) found.add(other)
  }
  return [...found]
}

/** Returns the newest versions of resources that this release serves only if it is told to. */
function optionalTables(unserved: readonly VersionTable[], served: readonly VersionTable[]): VersionTable[] {
  const keysOf = ({ group, resources, types }: VersionTable): string[] =>
    resources.filter(({ kind }) => kind in types).map(({ resource }) => `${group}/${resource}`)
  const known = new Set(served.flatMap(keysOf))
  return unserved
    .toSorted((one, other) => compareVersions(one.version, other.version))
    .filter((table) => {
      const isNew = keysOf(table).some((key) => !known.has(key))
      for (const key of keysOf(table)) known.add(key)
      return isNew
    })
}

/** Tables of types that appear in responses but are not objects of resources. */
const ANSWERS: ReadonlySet<string> = new Set(['apidiscovery/v2', 'meta/v1beta1'])

/**
 * Returns the generated files except the manifest, by path. Versions that are not served contribute only the names of their
 * kinds.
 */
function renderAll(tables: readonly VersionTable[], modules: GoModules): Map<string, string> {
  const heading: Heading = { modules: [...modules].map(([path, { version }]) => `${path} ${version}`) }
  const served = servedTables(tables)
  const referred = referredTables(served, tables)
  for (const table of referred) if (!served.includes(table)) console.log(`not served, but referred to: ${tableName(table)}`)
  const releases = readReleases()
  const unserved = tables.filter((table) => table.resources.length > 0 && !referred.includes(table))
  const answers = tables.filter((table) => ANSWERS.has(tableName(table)))
  const optional = optionalTables(unserved.map(withoutGone), served)
  const index = new TableIndex([...referred, ...optional])
  return new Map([
    ...[...referred, ...answers].map((table) => [tableFile(table), renderTable(table, heading)] as const),
    ...[...referred, ...answers].map((table) => [structsFile(table), renderStructs(table, heading)] as const),
    ...[...referred, ...optional].map((table) => [typesFile(table), `${comment(heading)}${renderTypes(table, index)}`] as const),
    ...renderUnserved(unserved, referred, heading),
    ['served.ts', renderServed(served, referred, heading)],
    ['registered.ts', renderRegistered(tables.map(withoutGone), heading)],
    ['columns.ts', renderColumns(columnTables(modules, [...unserved, ...served], new TableIndex(tables)), heading)],
    ['strategies.ts', renderStrategies(strategyFacts(modules, [...served, ...optional]), heading)],
    ['internal/types.ts', renderInternal(internalTypes(modules), heading)],
    ['lifecycle.ts', renderLifecycles(lifecycleRows(releases), { modules: releases.modules })],
    ['priorities.ts', renderPriorities(priorityTable(releases), { modules: releases.modules })],
  ])
}

function writeAll(files: ReadonlyMap<string, string>, modules: GoModules): void {
  const manifest: Manifest = {
    modules: Object.fromEntries([...modules].map(([path, { version }]) => [path, version])),
    sources: sourceHashes(),
    files: Object.fromEntries([...files].map(([name, text]): [string, string] => [name, hash(text)]).sort()),
  }
  for (const folder of ['types', 'internal', 'structs', 'unserved']) mkdirSync(join(generatedFolder, folder), { recursive: true })
  for (const [name, text] of files) writeFileSync(join(generatedFolder, name), text)
  writeFileSync(join(generatedFolder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`)
  for (const name of generatedFiles()) if (!files.has(name)) rmSync(join(generatedFolder, name))
}

function checkProtobuf(tables: readonly VersionTable[], folders: ReadonlyMap<string, string>): void {
  const found = tables.flatMap((table) => {
    const folder = folders.get(tableName(table))
    return folder === undefined ? [] : protobufDifferences(table, join(folder, 'generated.proto'), tables)
  })
  if (found.length > 0) throw new Error(`the tables and generated.proto differ:\n${found.join('\n')}`)
}

const modules = downloadModules()
const sources = packageSources(modules)
const gone = goneSources()
const facts = extractFacts([...sources, ...gone])
const tables = versionTables(withGone(facts.slice(0, sources.length), facts.slice(sources.length)))
const schema = readSchema(join(moduleOf(modules, 'k8s.io/client-go').dir, 'applyconfigurations', 'internal', 'internal.go'))
for (const difference of settleOwnership(tables, schema)) console.log(`ownership: ${difference}`)
checkProtobuf(tables, new Map(sources.filter((s) => !s.name.startsWith('apidiscovery/')).map((s) => [s.name, s.dir])))
writeAll(renderAll(tables, modules), modules)
console.log(`${tables.length} tables`)
