/**
 * Writes src/catalog/generated from the Go modules that extract/go.mod names:
 *
 *   node scripts/catalog/generate.ts
 *
 * Needs Go. Prints where the markers in the Go sources and client-go's schema of ownership differ.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VersionTable } from '../../src/schema/tables.ts'
import { extractFacts, type PackageFacts } from './facts.ts'
import { generatedFolder, hash, type Manifest, manifestFile, sourceHashes } from './manifest.ts'
import { downloadModules, type GoModules, moduleOf, packageSources } from './modules.ts'
import { readSchema, settleOwnership } from './ownership.ts'
import { protobufDifferences } from './protobuf-check.ts'
import { type Heading, renderRegistered, renderServed, renderTable, tableFile } from './render.ts'
import { readRecordedResources, resourceTables } from './resources.ts'
import { expressions, references, splitReference, tableName } from './type-references.ts'
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

/** The tables that are served by default, in discovery's order. */
function servedTables(tables: readonly VersionTable[]): VersionTable[] {
  return readRecordedResources().served.map(({ group, version }) => {
    const table = tables.find((t) => t.group === group && t.version === version && t.resources.length > 0)
    if (table === undefined) throw new Error(`no table for ${group}/${version}`)
    return table
  })
}

/** The tables that the types of `from` refer to, at any remove. */
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

function writeAll(tables: readonly VersionTable[], modules: GoModules): void {
  const heading: Heading = { modules: [...modules].map(([path, { version }]) => `${path} ${version}`) }
  const served = servedTables(tables)
  const referred = referredTables(served, tables)
  for (const table of referred) if (!served.includes(table)) console.log(`not served, but referred to: ${tableName(table)}`)
  const files = new Map(tables.map((table) => [tableFile(table), renderTable(table, heading)]))
  files.set('served.ts', renderServed(served, referred, heading))
  files.set('registered.ts', renderRegistered(tables, heading))
  const manifest: Manifest = {
    modules: Object.fromEntries([...modules].map(([path, { version }]) => [path, version])),
    sources: sourceHashes(),
    files: Object.fromEntries([...files].map(([name, text]): [string, string] => [name, hash(text)]).sort()),
  }
  files.set(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`)
  mkdirSync(generatedFolder, { recursive: true })
  for (const [name, text] of files) writeFileSync(join(generatedFolder, name), text)
  for (const name of readdirSync(generatedFolder)) if (!files.has(name)) rmSync(join(generatedFolder, name))
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
const tables = versionTables(extractFacts(sources))
const schema = readSchema(join(moduleOf(modules, 'k8s.io/client-go').dir, 'applyconfigurations', 'internal', 'internal.go'))
for (const difference of settleOwnership(tables, schema)) console.log(`ownership: ${difference}`)
checkProtobuf(tables, new Map(sources.filter((s) => !s.name.startsWith('apidiscovery/')).map((s) => [s.name, s.dir])))
writeAll(tables, modules)
console.log(`${tables.length} tables`)
