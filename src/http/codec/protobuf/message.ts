/** Messages in protobuf, each compiled once from the catalogue's tables: bytes to the JSON value that says the same. */
import { typeTables } from '../../../catalog/generated/served.ts'
import type { JsonObject, JsonValue } from '../../../meta/json-value.ts'
import type { FieldTable, TypeTable } from '../../../schema/tables.ts'
import {
  EmbeddedField,
  type FieldsReader,
  MapField,
  type MessageField,
  RepeatedField,
  SingularField,
  type Values,
} from './fields.ts'
import { embeddedName, goFieldName } from './go-names.ts'
import { type SpecialMessage, specialMessages } from './special.ts'
import { type ValueCodec, valueCodec } from './values.ts'
import { LENGTH_DELIMITED, Reader } from './wire.ts'

/** A field with its index among the values of the object. */
interface IndexedField {
  readonly name: string
  readonly index: number
  readonly table: FieldTable
}

/** The fields of one message on the wire by their numbers. Compiled when first read, because types may recurse. */
class Message implements FieldsReader {
  private readonly name: string
  private readonly tables: readonly IndexedField[]
  private compiled: readonly (MessageField | undefined)[] | undefined

  constructor(name: string, tables: readonly IndexedField[]) {
    this.name = name
    this.tables = tables
  }

  readInto(values: Values, reader: Reader): void {
    this.compiled ??= compileFields(this.name, this.tables)
    const fields = this.compiled
    while (reader.position < reader.end) {
      const start = reader.position
      const field = fields[reader.readTag(this.name)]
      if (field === undefined) reader.skip(start)
      else field.read(values, reader)
    }
  }
}

/** A message and the object that it becomes. */
class ObjectMessage {
  /** In JSON, by their indexes. */
  private readonly names: readonly string[]
  private readonly message: Message

  constructor(name: string, fields: { readonly [name: string]: FieldTable }) {
    this.names = Object.keys(fields)
    this.message = new Message(
      name,
      Object.entries(fields).map(([field, table], index) => ({ name: field, index, table })),
    )
  }

  /** Reads until the reader's message ends. */
  read(reader: Reader, before: JsonObject | undefined): JsonObject {
    const { names } = this
    const values: Values = before === undefined ? new Array(names.length) : names.map((name) => before[name])
    this.message.readInto(values, reader)
    const object: JsonObject = {}
    for (let index = 0; index < names.length; index++) {
      const value = values[index]
      if (value !== undefined) object[names[index] as string] = value
    }
    return object
  }
}

/** A struct: its JSON is an object. */
class StructCodec implements ValueCodec {
  readonly wireType = LENGTH_DELIMITED
  readonly omittable = false
  private readonly message: ObjectMessage

  constructor(message: ObjectMessage) {
    this.message = message
  }

  read(reader: Reader, before: JsonValue | undefined): JsonObject {
    const outer = reader.enter()
    const object = this.message.read(reader, before as JsonObject | undefined)
    reader.leave(outer)
    return object
  }

  /** The whole of the reader's bytes as one message. */
  readAll(reader: Reader): JsonObject {
    return this.message.read(reader, undefined)
  }

  zero(): JsonObject {
    return {}
  }
}

/** A type with a JSON of its own. */
class SpecialCodec implements ValueCodec {
  readonly wireType = LENGTH_DELIMITED
  readonly omittable = false
  private readonly message: ObjectMessage
  private readonly special: SpecialMessage

  constructor(special: SpecialMessage) {
    this.message = new ObjectMessage(special.name, special.fields)
    this.special = special
  }

  read(reader: Reader): JsonValue {
    const outer = reader.enter()
    const parts = this.message.read(reader, undefined)
    reader.leave(outer)
    return this.special.toJson(parts)
  }

  zero(): JsonValue {
    return this.special.toJson({})
  }
}

/** Fields by their numbers. Those with a path are in a message of their own, which is one field here. */
function compileFields(struct: string, tables: readonly IndexedField[]): (MessageField | undefined)[] {
  const fields: (MessageField | undefined)[] = []
  for (const field of tables) {
    const { protobuf, protobufPath } = field.table
    const number = protobufPath?.[0] ?? protobuf
    if (number === undefined || fields[number] !== undefined) continue
    fields[number] = protobufPath === undefined ? makeField(struct, field) : makeEmbedded(struct, number, tables)
  }
  return fields
}

function makeEmbedded(struct: string, number: number, tables: readonly IndexedField[]): MessageField {
  const name = embeddedName(struct)
  const inner = tables
    .filter(({ table }) => table.protobufPath?.[0] === number)
    .map(({ table: { protobufPath = [], ...table }, ...field }) => {
      const rest = protobufPath.slice(1)
      return { ...field, table: rest.length === 0 ? table : { ...table, protobufPath: rest } }
    })
  return new EmbeddedField(name, new Message(name, inner))
}

function makeField(struct: string, { name, index, table }: IndexedField): MessageField {
  const place = { index, goName: goFieldName(struct, name) }
  const type = underlyingType(table.type)
  if (type.startsWith('map[')) return new MapField(place, codecOf(type.slice(type.indexOf(']') + 1)))
  if (type.startsWith('[]') && type !== '[]byte') return new RepeatedField(place, codecOf(type.slice(2)))
  const codec = codecOf(type)
  return new SingularField(place, codec, codec.omittable && table.omitempty === true && !table.type.startsWith('*'))
}

function tableOf(reference: string): TypeTable | undefined {
  const dot = reference.lastIndexOf('.')
  const types = typeTables.get(reference.slice(0, dot))?.types
  const name = reference.slice(dot + 1)
  return types !== undefined && Object.hasOwn(types, name) ? types[name] : undefined
}

/** The type that a reference names, without a pointer, and without other names that only Go knows. */
function underlyingType(reference: string): string {
  const type = reference.startsWith('*') ? reference.slice(1) : reference
  const table = tableOf(type)
  return table === undefined || !('alias' in table) || table.message === true ? type : underlyingType(table.alias)
}

/** By all names of a type that were asked for. */
const codecs = new Map<string, ValueCodec>()

/** The codec of a type that is one value on the wire: of any but lists and maps. */
function codecOf(reference: string): ValueCodec {
  const known = codecs.get(reference)
  if (known !== undefined) return known
  const type = underlyingType(reference)
  const codec = type === reference ? (specialCodec(type) ?? valueCodec(type) ?? messageCodec(type)) : codecOf(type)
  codecs.set(reference, codec)
  return codec
}

function specialCodec(type: string): ValueCodec | undefined {
  const special = Object.hasOwn(specialMessages, type) ? specialMessages[type] : undefined
  return special === undefined ? undefined : new SpecialCodec(special)
}

function messageCodec(type: string): ValueCodec {
  const table = tableOf(type)
  if (table === undefined) throw new Error(`no table has the type ${type}`)
  const name = type.slice(type.lastIndexOf('.') + 1)
  if ('alias' in table) return new SpecialCodec(listMessage(name, table.alias))
  return new StructCodec(new ObjectMessage(name, table.fields))
}

/** A list that is a message of its own. */
function listMessage(name: string, type: string): SpecialMessage {
  return { name, fields: { items: { type, protobuf: 1 } }, toJson: ({ items = null }) => items }
}

const packages = new Map([...typeTables].map(([path, { group, version }]) => [`${group}/${version}`, path]))

/** The message of a kind, as `decodeMessage` takes it. */
export function messageOf(group: string, version: string, kind: string): string {
  return `${packages.get(`${group}/${version}`)}.${kind}`
}

/**
 * Decodes a message.
 * @param reference a struct as the tables name it: `core/v1.ConfigMap`
 * @returns the value that the same object has as a JSON body, without apiVersion and kind, which protobuf has in its envelope:
 * for the decoder of schema/decode.ts, which leaves out and fills in what Go does
 * @throws WireError, an ApiError 400, for bytes that are no such message
 */
export function decodeMessage(reference: string, bytes: Uint8Array): JsonObject {
  const codec = codecOf(reference)
  if (!(codec instanceof StructCodec)) throw new Error(`${reference} is no struct`)
  return codec.readAll(new Reader(bytes))
}
