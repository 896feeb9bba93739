/** Makes the TypeScript of the tables (src/catalog/generated) from their texts (src/catalog/tables). */
import type { VersionTable } from '../../src/schema/tables.ts'
import { readInternal } from './internal-text.ts'
import { lifecycleRows, priorityTable } from './lifecycles.ts'
import { readReleases } from './release-text.ts'
import {
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
import { type Selection, select, withoutGone } from './selection.ts'
import { withSharedTypes } from './shared-types.ts'
import { TableIndex } from './type-references.ts'
import { isVersionText, readVersion, type VersionText } from './version-text.ts'

/** The names of the texts that do not describe a group version. */
export const SERVED = 'served.txt'
export const RELEASES = 'releases.txt'
export const INTERNAL = 'internal.txt'

/** Texts by the name of their file. */
export type Texts = ReadonlyMap<string, string>

/** Reads the text of each group version, sorted by name. */
export function readVersions(texts: Texts): VersionText[] {
  const files = [...texts].filter(([file]) => isVersionText(file))
  const name = ({ table }: VersionText): string => `${table.package}/${table.version}`
  return files.map(([file, text]) => readVersion(file, text)).sort((a, b) => (name(a) < name(b) ? -1 : 1))
}

/** Reads served.txt: the tables that are served by default, in discovery order, one on each line. */
export function readServed(texts: Texts): string[] {
  return textOf(texts, SERVED).trimEnd().split('\n')
}

/** Returns a text. @throws Error if it is absent */
export function textOf(texts: Texts, file: string): string {
  const text = texts.get(file)
  if (text === undefined) throw new Error(`there is no ${file}`)
  return text
}

/** Returns facts of resources by `<resource>[.<group>]`, in the order of these names. */
function byCollection<T>(versions: readonly VersionText[], of: (version: VersionText) => ReadonlyMap<string, T>): Map<string, T> {
  const rows = versions.flatMap((version) =>
    [...of(version)].map(([resource, fact]) => [[resource, version.table.group].filter(Boolean).join('.'), fact] as const),
  )
  return new Map(rows.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function renderVersions({ served, referred, answers, unserved, optional }: Selection, versions: readonly VersionText[]) {
  const index = new TableIndex([...referred, ...optional])
  const whole: readonly VersionTable[] = [...referred, ...answers]
  return [
    ...whole.map((table) => [tableFile(table), renderTable(table)] as const),
    ...whole.map((table) => [structsFile(table), renderStructs(table)] as const),
    ...[...referred, ...optional].map((table) => [typesFile(table), renderTypes(table, index)] as const),
    ...renderUnserved(unserved, referred, versions),
    ['served.ts', renderServed(served, referred)] as const,
  ]
}

/**
 * Returns the files of src/catalog/generated, by path. Versions that are not served contribute only the names of their kinds, and
 * the tables for conversions.
 * @throws Error with file and line if a text contains something unknown
 */
export function renderAll(texts: Texts): Map<string, string> {
  const versions = readVersions(texts)
  const sourced = withSharedTypes(versions).map((table, index) => ({ table, unlisted: versions[index]?.unlisted ?? new Map() }))
  const releases = readReleases(RELEASES, textOf(texts, RELEASES))
  return new Map([
    ...renderVersions(select(sourced, readServed(texts)), versions),
    ['registered.ts', renderRegistered(sourced.map(withoutGone))],
    ['columns.ts', renderColumns(byCollection(versions, ({ columns }) => columns))],
    ['strategies.ts', renderStrategies(byCollection(versions, ({ strategies }) => strategies))],
    ['internal/types.ts', renderInternal(readInternal(INTERNAL, textOf(texts, INTERNAL)))],
    ['lifecycle.ts', renderLifecycles(lifecycleRows(releases))],
    ['priorities.ts', renderPriorities(priorityTable(releases))],
  ])
}
