/** The text of a group version: src/catalog/tables/README.md describes it. */
import type { ResourceTable, SubresourceTable, VersionTable } from '../../src/schema/tables.ts'
import { lifecycleReaders, lifecycleWords, readKind, writeKind } from './lifecycle-words.ts'
import {
  type Block,
  blocksOf,
  fail,
  json,
  type Line,
  type OptionReader,
  oneOf,
  option,
  readOptions,
  wordAt,
  writeBlock,
} from './lines.ts'
import { readType, writeType } from './type-text.ts'

/** The field that describes a column, with its type: `['core/v1.PodSpec', 'nodeName']`. */
export type FieldOfType = readonly [type: string, field: string]

/** A column. Default values at the end are omitted: the type `string`, the format '' and the priority 0. */
export type ColumnRow = readonly [
  name: string,
  description: string | FieldOfType,
  type?: string,
  format?: string,
  priority?: number,
]

/** The facts of a resource that differ from the default strategy. */
export interface StrategyFacts {
  readonly allowCreateOnUpdate?: boolean
  readonly allowUnconditionalUpdate?: boolean
  readonly garbageCollection?: string
  readonly returnsDeletedObject?: boolean
}

/** The source of a resource that discovery does not list: the typed clients, or modules of older releases. */
export type UnlistedSource = 'clients' | 'gone'

/** The contents of a text. */
export interface VersionText {
  /** Its types do not contain the shared ones. */
  readonly table: VersionTable
  /** The resources that discovery does not list, by name. */
  readonly unlisted: ReadonlyMap<string, UnlistedSource>
  /** The names of types that equal those of another table, by the name of that table. */
  readonly shared: ReadonlyMap<string, readonly string[]>
  /** The columns by resource. */
  readonly columns: ReadonlyMap<string, readonly ColumnRow[]>
  /** The facts of strategies by resource. */
  readonly strategies: ReadonlyMap<string, StrategyFacts>
}

/** The verbs of a resource that has all of them, in discovery order. */
export const VERBS: readonly string[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** Returns the name of a table's text: `core.v1.txt`. */
export function textFile({ package: name, version }: Pick<VersionTable, 'package' | 'version'>): string {
  return `${name}.${version}.txt`
}

const isText = /^(\w+)\.(v\w+)\.txt$/

/** Whether the file is the text of a group version. */
export function isVersionText(file: string): boolean {
  return isText.test(file)
}

const list = (words: readonly string[] | undefined): string | undefined => words?.join()

function writeResource(resource: ResourceTable, source: UnlistedSource | undefined): string {
  const { resource: name, singular, kind, namespaced, verbs, shortNames, categories, subresources, lifecycle } = resource
  const head = [
    ...['resource', name, kind, namespaced ? 'namespaced' : 'cluster'],
    ...option('singular', singular === kind.toLowerCase() ? undefined : singular),
    ...option('verbs', verbs.join() === VERBS.join() ? undefined : verbs.join()),
    ...option('short', list(shortNames)),
    ...option('categories', list(categories)),
    ...(source === undefined ? [] : [source]),
    ...lifecycleWords(lifecycle ?? {}),
  ]
  return writeBlock(head, (subresources ?? []).map(subresourceWords))
}

function subresourceWords({ name, kind: { group, version, kind }, verbs }: SubresourceTable): string[] {
  return [name, version === undefined ? kind : writeKind({ group: group ?? '', version, kind }), verbs.join()]
}

/** The words of a resource that are not at a fixed place. */
type ResourceWords = Pick<ResourceTable, 'shortNames' | 'categories'> & {
  readonly singular: string
  readonly verbs: readonly string[]
}

const resourceReaders: Readonly<Record<string, OptionReader<ResourceWords>>> = {
  singular: (value) => ({ singular: value }),
  verbs: (value) => ({ verbs: value.split(',') }),
  short: (value) => ({ shortNames: value.split(',') }),
  categories: (value) => ({ categories: value.split(',') }),
  clients: () => ({}),
  gone: () => ({}),
}

function readResource(block: Block): ResourceTable {
  const kind = wordAt(block, 2, 'kind')
  const namespaced = oneOf(wordAt(block, 3, 'scope'), ['namespaced', 'cluster'], block) === 'namespaced'
  const words = block.words.slice(4)
  const isLifecycle = (word: string): boolean => Object.hasOwn(lifecycleReaders, word.split('=', 1)[0] ?? '')
  const {
    singular = kind.toLowerCase(),
    verbs = VERBS,
    ...names
  } = readOptions(
    block,
    words.filter((word) => !isLifecycle(word)),
    resourceReaders,
  )
  const lifecycle = readOptions(block, words.filter(isLifecycle), lifecycleReaders)
  const subresources = block.lines.map(readSubresource)
  return {
    ...{ resource: wordAt(block, 1, 'name'), singular, kind, namespaced, verbs, ...names },
    ...(subresources.length === 0 ? {} : { subresources }),
    ...(Object.keys(lifecycle).length === 0 ? {} : { lifecycle }),
  }
}

function readSubresource(line: Line): SubresourceTable {
  const kind = wordAt(line, 1, 'kind')
  return {
    name: wordAt(line, 0, 'name'),
    kind: kind.includes('/') ? readKind(kind, line) : { kind },
    verbs: wordAt(line, 2, 'verbs').split(','),
  }
}

function columnWords([name, description, type = 'string', format = '', priority = 0]: ColumnRow): string[] {
  return [
    JSON.stringify(name),
    ...(type === 'string' ? [] : [type]),
    ...option('format', format === '' ? undefined : format),
    ...option('priority', priority === 0 ? undefined : String(priority)),
    typeof description === 'string' ? JSON.stringify(description) : description.join('.'),
  ]
}

interface ColumnWords {
  readonly format: string
  readonly priority: number
}

const columnReaders: Readonly<Record<string, OptionReader<ColumnWords>>> = {
  format: (value) => ({ format: value }),
  priority: (value) => ({ priority: Number(value) }),
}

function readColumn(line: Line): ColumnRow {
  const name = json<string>(wordAt(line, 0, 'name'), line)
  const words = line.words.slice(1, -1)
  const type = words.find((word) => !word.includes('=')) ?? 'string'
  const options = readOptions(
    line,
    words.filter((word) => word.includes('=')),
    columnReaders,
  )
  const { format = '', priority = 0 } = options
  const description = readDescription(wordAt(line, line.words.length - 1, 'description'), line)
  if (priority > 0) return [name, description, type, format, priority]
  if (format !== '') return [name, description, type, format]
  return type === 'string' ? [name, description] : [name, description, type]
}

function readDescription(word: string, line: Line): string | FieldOfType {
  if (word.startsWith('"')) return json(word, line)
  const dot = word.lastIndexOf('.')
  return [word.slice(0, dot), word.slice(dot + 1)]
}

const strategyReaders: Readonly<Record<string, OptionReader<StrategyFacts>>> = {
  allowCreateOnUpdate: (value, line) => ({ allowCreateOnUpdate: json(value, line) }),
  allowUnconditionalUpdate: (value, line) => ({ allowUnconditionalUpdate: json(value, line) }),
  garbageCollection: (value) => ({ garbageCollection: value }),
  returnsDeletedObject: (value, line) => ({ returnsDeletedObject: json(value, line) }),
}

/** The length at which a list of shared types continues on a further line. */
const maxLineLength = 120

function writeShared(table: string, names: readonly string[]): string[] {
  const lines: string[] = []
  for (const name of names) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + name.length < maxLineLength) lines[lines.length - 1] = `${last} ${name}`
    else lines.push(`shared ${table} ${name}`)
  }
  return lines.map((line) => `${line}\n`)
}

/** Writes a text. */
export function writeVersion({ table, unlisted, shared, columns, strategies }: VersionText): string {
  const name = `${table.package}/${table.version}`
  const parts = [
    [writeBlock(['group', JSON.stringify(table.group)], [])],
    table.resources.map((resource) => writeResource(resource, unlisted.get(resource.resource))),
    [...strategies].map(([of, facts]) =>
      writeBlock(['strategy', of, ...Object.entries(facts).map(([key, value]) => `${key}=${value}`)], []),
    ),
    [...columns].map(([of, rows]) => writeBlock(['columns', of], rows.map(columnWords))),
    [...shared].flatMap(([from, names]) => writeShared(from, names)),
    ...Object.entries(table.types).map(([type, facts]) => [writeType(type, facts, name)]),
  ]
  return joined(parts.map((part) => part.join('')).filter((part) => part !== ''))
}

/** Joins parts, with an empty line around each that has several lines. */
function joined(parts: readonly string[]): string {
  const isLong = (part: string | undefined): boolean => part?.includes('\n  ') === true
  return parts
    .map((part, index) =>
      index > 0 && (isLong(part) || isLong(parts[index - 1]) || /^[a-z]/.test(parts[index - 1] ?? '')) ? `\n${part}` : part,
    )
    .join('')
}

/** The parts of a text under construction. */
interface Parts {
  group: string
  readonly resources: ResourceTable[]
  readonly types: Map<string, VersionTable['types'][string]>
  readonly unlisted: Map<string, UnlistedSource>
  readonly shared: Map<string, string[]>
  readonly columns: Map<string, readonly ColumnRow[]>
  readonly strategies: Map<string, StrategyFacts>
}

const keywords: Readonly<Record<string, (parts: Parts, block: Block) => void>> = {
  group(parts, block) {
    parts.group = json(wordAt(block, 1, 'group'), block)
  },
  resource(parts, block) {
    const resource = readResource(block)
    parts.resources.push(resource)
    for (const source of ['clients', 'gone'] as const) {
      if (block.words.includes(source)) parts.unlisted.set(resource.resource, source)
    }
  },
  strategy(parts, block) {
    parts.strategies.set(wordAt(block, 1, 'resource'), readOptions(block, block.words.slice(2), strategyReaders))
  },
  columns(parts, block) {
    parts.columns.set(wordAt(block, 1, 'resource'), block.lines.map(readColumn))
  },
  shared(parts, block) {
    const from = wordAt(block, 1, 'table')
    parts.shared.set(from, [...(parts.shared.get(from) ?? []), ...block.words.slice(2)])
  },
}

/**
 * Reads a text.
 * @throws Error with file and line if something in it is not known
 */
export function readVersion(file: string, text: string): VersionText {
  const [, name = '', version = ''] = isText.exec(file) ?? []
  const parts: Parts = {
    ...{ group: '', resources: [], types: new Map(), unlisted: new Map() },
    ...{ shared: new Map(), columns: new Map(), strategies: new Map() },
  }
  for (const block of blocksOf(file, text)) {
    const word = wordAt(block, 0, 'name')
    const keyword = Object.hasOwn(keywords, word) ? keywords[word] : undefined
    if (keyword !== undefined) keyword(parts, block)
    else if (!/^[A-Z]\w*$/.test(word)) fail(block, `unknown word ${word}`)
    else if (parts.types.has(word)) fail(block, `a second type ${word}`)
    else parts.types.set(word, readType(block, `${name}/${version}`))
  }
  const { group, resources, types, ...rest } = parts
  return { table: { group, version, package: name, resources, types: Object.fromEntries(types) }, ...rest }
}
