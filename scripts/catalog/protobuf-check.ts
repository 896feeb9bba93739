/** Compares the tables with the generated.proto files beside the Go types: numbers, names and wire types. */
import { readFileSync } from 'node:fs'
import type { FieldTable, TypeTable, VersionTable } from '../../src/schema/tables.ts'
import { references, splitReference, TableIndex, tableName } from '../tables/type-references.ts'

/** The types of a message's fields as the .proto file writes them, by field number. */
type Message = ReadonlyMap<number, string>

/** The protobuf types of Go's built-in types. */
const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int: 'int32',
  int32: 'int32',
  int64: 'int64',
  float64: 'double',
  '[]byte': 'bytes',
  byte: 'uint32',
  uint8: 'uint32',
  'time.Duration': 'int64',
}

/** Returns one line for each difference between a table and the .proto file of its package. */
export function protobufDifferences(table: VersionTable, file: string, all: readonly VersionTable[]): string[] {
  const messages = readMessages(readFileSync(file, 'utf8'))
  const index = new TableIndex(all)
  const differences: string[] = []
  for (const [name, type] of Object.entries(table.types)) {
    const message = messages.get(name)
    if (message !== undefined)
      differences.push(...typeDifferences(type, message, index).map((d) => `${tableName(table)}.${name}: ${d}`))
  }
  for (const name of messages.keys()) {
    if (!Object.hasOwn(table.types, name)) differences.push(`${tableName(table)}.${name}: a message without a type`)
  }
  return differences
}

/** Parses the messages of a .proto file: the types of their fields by number. */
function readMessages(text: string): Map<string, Message> {
  const messages = new Map<string, Map<number, string>>()
  for (const [, name = '', body = ''] of text.matchAll(/^message (\w+) \{\n([^}]*)^\}/gm)) {
    const fields = body.matchAll(/^ {2}(?:optional |repeated |required )?(map<.*?>|[\w.]+) \w+ = (\d+)/gm)
    messages.set(name, new Map([...fields].map(([, type = '', number]) => [Number(number), type])))
  }
  return messages
}

function typeDifferences(type: TypeTable, message: Message, index: TableIndex): string[] {
  if ('alias' in type) {
    if (!type.message && type.alias.startsWith('[]')) return ['a list that is a message is not marked so']
    return []
  }
  // The protobuf form of times, seconds and nanoseconds, is written by hand in Go.
  if (type.customJson && Object.keys(type.fields).length === 0) return []
  const differences: string[] = []
  const left = new Map(message)
  for (const [name, field] of Object.entries(type.fields)) {
    const number = field.protobufPath?.[0] ?? field.protobuf
    if (number === undefined) continue
    left.delete(number)
    const found = message.get(number)
    if (found === undefined) differences.push(`${name} has number ${number}, the message has none such`)
    else if (field.protobufPath === undefined && !sameType(found, field, index)) {
      differences.push(`${name} is ${found} in protobuf, ${field.type} in Go`)
    }
  }
  for (const [number, found] of left) differences.push(`number ${number}, ${found}, has no field`)
  return differences
}

function sameType(found: string, field: FieldTable, index: TableIndex): boolean {
  const expected = protobufType(field.type, index)
  return shortName(found) === expected
}

/**
 * Returns the protobuf type of a Go type, with the short name of a message. A list has the type of its elements, because its
 * label is compared separately.
 */
function protobufType(expression: string, index: TableIndex): string {
  const bare = expression.replace(/^\*/, '')
  const scalar = SCALARS[bare]
  if (scalar !== undefined) return scalar
  if (bare.startsWith('[]')) return protobufType(bare.slice(2), index)
  const map = /^map\[(.*?)\](.*)$/.exec(bare)
  if (map !== null) return `map<${protobufType(map[1] ?? '', index)}, ${protobufType(map[2] ?? '', index)}>`
  const [reference = ''] = references(bare)
  if (reference.startsWith('types.')) return 'string'
  const type = index.type(reference)
  if (type !== undefined && 'alias' in type && !type.message) return protobufType(type.alias, index)
  return splitReference(reference).name
}

/** Returns the type without its packages: `map<string, .k8s.io.api.core.v1.Pod>` as `map<string, Pod>`. */
function shortName(type: string): string {
  return type.replaceAll(/[\w.]*\.(?=\w)/g, '')
}
