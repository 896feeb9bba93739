/** Protobuf messages, compiled once from the tables: conversion between bytes and JSON values. */
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { FieldTable } from '../schema/tables.ts'
import {
  absenceOf,
  EmbeddedField,
  type Fields,
  MapField,
  type MessageField,
  RepeatedField,
  SingularField,
  type Values,
} from './fields.ts'
import { embeddedName, goFieldName } from './go-names.ts'
import type { SpecialMessage } from './special.ts'
import type { ValueCodec } from './values.ts'
import { LENGTH_DELIMITED, type Reader } from './wire.ts'
import type { Writer } from './writer.ts'

/** A field with its index among the object's values. */
interface IndexedField {
  readonly name: string
  readonly index: number
  readonly table: FieldTable
}

/** The properties of types that messages need. */
export interface Types {
  /** Returns the type of a reference without its pointer and with Go's aliases resolved. */
  underlying(reference: string): string
  /** Returns the codec of a type other than lists and maps. */
  codecOf(reference: string): ValueCodec
}

/** The fields of a message by number, and in the order in which they are written (backwards). */
interface Compiled {
  readonly byNumber: readonly (MessageField | undefined)[]
  readonly backwards: readonly MessageField[]
}

/** The fields of one message. Compiled on first use, because types may be recursive. */
class Message implements Fields {
  private readonly name: string
  private readonly compile: () => (MessageField | undefined)[]
  private compiled: Compiled | undefined

  constructor(name: string, compile: () => (MessageField | undefined)[]) {
    this.name = name
    this.compile = compile
  }

  private get fields(): Compiled {
    if (this.compiled === undefined) {
      const byNumber = this.compile()
      this.compiled = { byNumber, backwards: byNumber.filter((field) => field !== undefined).reverse() }
    }
    return this.compiled
  }

  readInto(values: Values, reader: Reader): void {
    const { byNumber } = this.fields
    while (reader.position < reader.end) {
      const start = reader.position
      const field = byNumber[reader.readTag(this.name)]
      if (field === undefined) reader.skip(start)
      else field.read(values, reader)
    }
  }

  write(writer: Writer, object: JsonObject): void {
    const { backwards } = this.fields
    for (let index = 0; index < backwards.length; index++) (backwards[index] as MessageField).write(writer, object)
  }
}

/** A message and the JSON object for it. */
export class ObjectMessage {
  /** The JSON names of the fields, by index. */
  private readonly names: readonly string[]
  private readonly message: Message

  constructor(name: string, fields: { readonly [name: string]: FieldTable }, types: Types) {
    this.names = Object.keys(fields)
    const indexed = Object.entries(fields).map(([field, table], index) => ({ name: field, index, table }))
    this.message = messageOfFields(name, indexed, types)
  }

  /** Reads to the end of the reader's message. `before` is a previous value to merge into. */
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

  write(writer: Writer, object: JsonObject): void {
    this.message.write(writer, object)
  }
}

/** A struct, whose JSON is an object. */
export class StructCodec implements ValueCodec {
  readonly wireType = LENGTH_DELIMITED
  readonly omittable = false
  readonly nullable = false
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

  write(writer: Writer, value: JsonValue): void {
    const behind = writer.length
    this.message.write(writer, value as JsonObject)
    writer.writeVarint(writer.length - behind)
  }

  /** Reads all of the reader's bytes as one message. */
  readAll(reader: Reader): JsonObject {
    return this.message.read(reader, undefined)
  }

  /** Writes the message without its length. */
  writeAll(writer: Writer, object: JsonObject): void {
    this.message.write(writer, object)
  }

  zero(): JsonObject {
    return {}
  }
}

/** A type with a JSON form of its own. */
export class SpecialCodec implements ValueCodec {
  readonly wireType = LENGTH_DELIMITED
  readonly omittable = false
  readonly nullable: boolean
  private readonly message: ObjectMessage
  private readonly special: SpecialMessage

  constructor(special: SpecialMessage, types: Types) {
    this.message = new ObjectMessage(special.name, special.fields, types)
    this.special = special
    this.nullable = special.nullable === true
  }

  read(reader: Reader): JsonValue {
    const outer = reader.enter()
    const parts = this.message.read(reader, undefined)
    reader.leave(outer)
    return this.special.toJson(parts)
  }

  write(writer: Writer, value: JsonValue): void {
    const behind = writer.length
    const parts = this.special.fromJson(value)
    if (parts !== undefined) this.message.write(writer, parts)
    writer.writeVarint(writer.length - behind)
  }

  zero(): JsonValue {
    return this.special.toJson({})
  }
}

function messageOfFields(name: string, tables: readonly IndexedField[], types: Types): Message {
  return new Message(name, () => compileFields(name, tables, types))
}

/** Returns the fields by number. Fields with a path are in a nested message, which is one field here. */
function compileFields(struct: string, tables: readonly IndexedField[], types: Types): (MessageField | undefined)[] {
  const fields: (MessageField | undefined)[] = []
  for (const field of tables) {
    const { protobuf, protobufPath } = field.table
    const number = protobufPath?.[0] ?? protobuf
    if (number === undefined || fields[number] !== undefined) continue
    fields[number] =
      protobufPath === undefined ? makeField(struct, number, field, types) : makeEmbedded(struct, number, tables, types)
  }
  return fields
}

function makeEmbedded(struct: string, number: number, tables: readonly IndexedField[], types: Types): MessageField {
  const name = embeddedName(struct)
  const inner = tables
    .filter(({ table }) => table.protobufPath?.[0] === number)
    .map(({ table: { protobufPath = [], ...table }, ...field }) => {
      const rest = protobufPath.slice(1)
      return { ...field, table: rest.length === 0 ? table : { ...table, protobufPath: rest } }
    })
  return new EmbeddedField(name, number, messageOfFields(name, inner, types))
}

function makeField(struct: string, number: number, { name, index, table }: IndexedField, types: Types): MessageField {
  const place = { name, index, number, goName: goFieldName(struct, name) }
  const type = types.underlying(table.type)
  if (type.startsWith('map[')) return new MapField(place, types.codecOf(type.slice(type.indexOf(']') + 1)))
  if (type.startsWith('[]') && type !== '[]byte') return new RepeatedField(place, types.codecOf(type.slice(2)))
  const codec = types.codecOf(type)
  return new SingularField(place, codec, absenceOf(table, codec))
}
