/** Messages in protobuf, each compiled once from the catalogue's tables: bytes to the JSON value that says the same. */
import { typeTables } from '../../../catalog/generated/served.ts'
import type { FieldTable, TypeTable } from '../../../catalog/tables.ts'
import type { JsonObject, JsonValue } from '../../../meta/json-value.ts'
import { EmbeddedField, MapField, type MessageField, RepeatedField, SingularField } from './fields.ts'
import { embeddedName, goFieldName } from './go-names.ts'
import { type SpecialMessage, specialMessages } from './special.ts'
import { type ValueCodec, valueCodec } from './values.ts'
import { LENGTH_DELIMITED, Reader } from './wire.ts'

type Fields = readonly (readonly [name: string, table: FieldTable])[]

/** A message: its fields by their numbers, compiled when it is first read, because types may recurse. */
class Message {
  private readonly name: string
  private readonly tables: Fields
  private compiled: readonly (MessageField | undefined)[] | undefined

  constructor(name: string, tables: Fields) {
    this.name = name
    this.tables = tables
  }

  /** Reads fields into `object` until the reader's message ends. */
  readonly readInto = (object: JsonObject, reader: Reader): void => {
    this.compiled ??= compileFields(this.name, this.tables)
    const fields = this.compiled
    while (reader.position < reader.end) {
      const start = reader.position
      const field = fields[reader.readTag(this.name)]
      if (field === undefined) reader.skip(start)
      else field.read(object, reader)
    }
  }
}

/** A struct: its JSON is an object. */
class StructCodec implements ValueCodec {
  readonly wireType = LENGTH_DELIMITED
  private readonly message: Message

  constructor(message: Message) {
    this.message = message
  }

  read(reader: Reader, before: JsonValue | undefined): JsonObject {
    const object = (before ?? {}) as JsonObject
    reader.enter(() => this.message.readInto(object, reader))
    return object
  }

  /** The whole of the reader's bytes as one message. */
  readAll(reader: Reader): JsonObject {
    const object: JsonObject = {}
    this.message.readInto(object, reader)
    return object
  }

  zero(): JsonObject {
    return {}
  }
}

/** A type with a JSON of its own. */
class SpecialCodec implements ValueCodec {
  readonly wireType = LENGTH_DELIMITED
  private readonly message: Message
  private readonly special: SpecialMessage

  constructor(special: SpecialMessage) {
    this.message = new Message(special.name, Object.entries(special.fields))
    this.special = special
  }

  read(reader: Reader): JsonValue {
    const parts: JsonObject = {}
    reader.enter(() => this.message.readInto(parts, reader))
    return this.special.toJson(parts)
  }

  zero(): JsonValue {
    return this.special.toJson({})
  }
}

/** The fields of a message of which one is at hand by its number. Those with a path are in messages of their own. */
function compileFields(struct: string, tables: Fields): (MessageField | undefined)[] {
  const fields: (MessageField | undefined)[] = []
  for (const [name, table] of tables) {
    const number = table.protobufPath?.[0] ?? table.protobuf
    if (number === undefined || fields[number] !== undefined) continue
    fields[number] = table.protobufPath === undefined ? makeField(struct, name, table) : makeEmbedded(struct, number, tables)
  }
  return fields
}

function makeEmbedded(struct: string, number: number, tables: Fields): MessageField {
  const name = embeddedName(struct)
  const inner = tables
    .filter(([, { protobufPath }]) => protobufPath?.[0] === number)
    .map(([field, { protobufPath = [], ...table }]) => {
      const rest = protobufPath.slice(1)
      return [field, rest.length === 0 ? table : { ...table, protobufPath: rest }] as const
    })
  return new EmbeddedField(name, new Message(name, inner).readInto)
}

function makeField(struct: string, name: string, table: FieldTable): MessageField {
  const field = { name, goName: goFieldName(struct, name) }
  const type = underlyingType(table.type)
  if (type.startsWith('map[')) return new MapField(field, codecOf(type.slice(type.indexOf(']') + 1)))
  if (type.startsWith('[]') && type !== '[]byte') return new RepeatedField(field, codecOf(type.slice(2)))
  return new SingularField(field, codecOf(type), table.omitempty === true && !table.type.startsWith('*'))
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

const codecs = new Map<string, ValueCodec>()

/** The codec of a type that is one value on the wire: of any but lists and maps. */
function codecOf(reference: string): ValueCodec {
  const type = underlyingType(reference)
  const known = codecs.get(type)
  if (known !== undefined) return known
  const codec = valueCodec(type) ?? messageCodec(type)
  codecs.set(type, codec)
  return codec
}

function messageCodec(type: string): ValueCodec {
  const special = Object.hasOwn(specialMessages, type) ? specialMessages[type] : undefined
  if (special !== undefined) return new SpecialCodec(special)
  const table = tableOf(type)
  if (table === undefined) throw new Error(`no table has the type ${type}`)
  const name = type.slice(type.lastIndexOf('.') + 1)
  if ('alias' in table) return new SpecialCodec(listMessage(name, table.alias))
  return new StructCodec(new Message(name, Object.entries(table.fields)))
}

/** A list that is a message of its own. */
function listMessage(name: string, type: string): SpecialMessage {
  return { name, fields: { items: { type, protobuf: 1 } }, toJson: ({ items = null }) => items }
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
