/** The text of a type: a struct with a line for each field, or an alias. */
import type { FieldTable, ListType, TypeTable } from '../../src/schema/tables.ts'
import { type Block, fail, json, type Line, type OptionReader, oneOf, option, readOptions, wordAt, writeBlock } from './lines.ts'

type Alias = Extract<TypeTable, { alias: string }>
type Struct = Extract<TypeTable, { fields: object }>

const LIST_TYPES: readonly ListType[] = ['atomic', 'set', 'map']
const GRANULARITIES = ['atomic', 'granular'] as const

/** Omits the name of the table from references to its own types. */
function short(type: string, table: string): string {
  return type.replaceAll(`${table}.`, '')
}

function long(type: string, table: string): string {
  return type.replaceAll(/(?<![\w/.])(?=[A-Z])/g, `${table}.`)
}

/** Writes a word with arguments: `map(containerPort,protocol)`. */
function called(word: string | undefined, args: readonly string[]): string | undefined {
  return word === undefined || args.length === 0 ? word : `${word}(${args.join()})`
}

function readCalled(text: string, line: Line): { readonly word: string; readonly args?: readonly string[] } {
  const [, word = '', args] = /^([\w,]+)(?:\((.+)\))?$/.exec(text) ?? fail(line, `no word with arguments: ${text}`)
  return args === undefined ? { word } : { word, args: args.split(',') }
}

const FLAGS = [
  ['?', 'omitempty'],
  ['~', 'omitzero'],
  ['!', 'required'],
] as const

function fieldWords(name: string, field: FieldTable, table: string): string[] {
  const flags = FLAGS.flatMap(([sign, flag]) => (field[flag] === true ? [sign] : [])).join('')
  return [
    name,
    short(field.type, table),
    ...(field.protobuf === undefined ? [] : [[...(field.protobufPath ?? []), field.protobuf].join('.')]),
    ...(flags === '' ? [] : [flags]),
    ...option('default', field.default === undefined ? undefined : JSON.stringify(field.default)),
    ...option('list', called(field.listType, field.listMapKeys ?? [])),
    ...option('map', field.mapType),
    ...option('struct', field.structType),
    ...option('patch', called(field.patchStrategy, field.patchMergeKey === undefined ? [] : [field.patchMergeKey])),
  ]
}

const fieldReaders: Readonly<Record<string, OptionReader<FieldTable>>> = {
  default: (value, line) => ({ default: json(value, line) }),
  list: (value, line) => {
    const { word, args } = readCalled(value, line)
    return { listType: oneOf(word, LIST_TYPES, line), ...(args && { listMapKeys: args }) }
  },
  map: (value, line) => ({ mapType: oneOf(value, GRANULARITIES, line) }),
  struct: (value, line) => ({ structType: oneOf(value, GRANULARITIES, line) }),
  patch: (value, line) => {
    const { word, args } = readCalled(value, line)
    return { patchStrategy: word, ...(args && { patchMergeKey: args.join() }) }
  },
}

function readNumbers(word: string | undefined): Partial<FieldTable> | undefined {
  if (word === undefined || !/^[\d.]+$/.test(word)) return undefined
  const numbers = word.split('.').map(Number)
  const [protobuf = 0] = numbers.splice(-1)
  return numbers.length === 0 ? { protobuf } : { protobuf, protobufPath: numbers }
}

function readFlags(word: string | undefined): Partial<FieldTable> | undefined {
  if (word === undefined || !/^[?~!]+$/.test(word)) return undefined
  return Object.fromEntries(FLAGS.filter(([sign]) => word.includes(sign)).map(([, flag]) => [flag, true]))
}

function readField(line: Line, table: string): [string, FieldTable] {
  const numbers = readNumbers(line.words[2])
  const afterNumbers = numbers === undefined ? 2 : 3
  const flags = readFlags(line.words[afterNumbers])
  const rest = line.words.slice(flags === undefined ? afterNumbers : afterNumbers + 1)
  const options = readOptions(line, rest, fieldReaders)
  return [wordAt(line, 0, 'name'), { type: long(wordAt(line, 1, 'type'), table), ...numbers, ...flags, ...options }]
}

/** Writes a type. @param table the name of its table: `core/v1` */
export function writeType(name: string, type: TypeTable, table: string): string {
  if ('alias' in type) {
    const { alias, listType, mapType, enum: values, message } = type
    const words = [...option('list', listType), ...option('map', mapType), ...(message === true ? ['message'] : [])]
    return writeBlock([name, '=', short(alias, table), ...words, ...(values ?? []).map((value) => JSON.stringify(value))], [])
  }
  const head = [name, ...option('struct', type.structType), ...(type.customJson === true ? ['json'] : [])]
  return writeBlock(
    head,
    Object.entries(type.fields).map(([field, row]) => fieldWords(field, row, table)),
  )
}

const aliasReaders: Readonly<Record<string, OptionReader<Alias>>> = {
  list: (value, line) => ({ listType: oneOf(value, LIST_TYPES, line) }),
  map: (value, line) => ({ mapType: oneOf(value, GRANULARITIES, line) }),
  message: () => ({ message: true }),
}

const structReaders: Readonly<Record<string, OptionReader<Struct>>> = {
  json: () => ({ customJson: true }),
  struct: (value, line) => ({ structType: oneOf(value, GRANULARITIES, line) }),
}

/**
 * Reads a type. @param table the name of its table
 * @throws Error with file and line if it is not one
 */
export function readType(block: Block, table: string): TypeTable {
  const [, sign, alias, ...words] = block.words
  if (sign === '=') {
    const isValue = (word: string): boolean => word.startsWith('"')
    const values = words.filter(isValue).map((word) => json<string>(word, block))
    const options = readOptions(
      block,
      words.filter((word) => !isValue(word)),
      aliasReaders,
    )
    return {
      alias: long(alias ?? fail(block, 'no type'), table),
      ...options,
      ...(values.length === 0 ? {} : { enum: values }),
    }
  }
  const fields = new Map<string, FieldTable>()
  for (const line of block.lines) {
    const [name, field] = readField(line, table)
    if (fields.has(name)) fail(line, `a second field ${name}`)
    fields.set(name, field)
  }
  return { ...readOptions(block, block.words.slice(1), structReaders), fields: Object.fromEntries(fields) }
}
