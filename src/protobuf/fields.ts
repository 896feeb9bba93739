/** The fields of messages: conversion between their values on the wire and the members of JSON objects. */
import { setKey } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { FieldTable } from '../schema/tables.ts'
import type { ValueCodec } from './values.ts'
import { LENGTH_DELIMITED, type Reader, WireError } from './wire.ts'
import { Writer } from './writer.ts'

/** The values of an object's fields while it is read, by the fields' indexes. */
export type Values = (JsonValue | undefined)[]

/** A field of a message. */
export interface MessageField {
  /**
   * Reads the value after a tag into `values`.
   * @throws WireError
   */
  read(values: Values, reader: Reader): void
  /** Writes the field of an object with its tag. If the object does not have the field, writes the bytes that Go would write. */
  write(writer: Writer, object: JsonObject): void
}

/** The properties of all fields. */
export interface FieldProperties {
  /** The JSON name. */
  readonly name: string
  /** The index among the object's values. */
  readonly index: number
  readonly number: number
  /** The Go name, for errors. */
  readonly goName: string
}

/** Returns the tag before a value. */
const tagOf = ({ number }: FieldProperties, wireType: number): number => number * 8 + wireType

function wrongWireType(goName: string, reader: Reader): WireError {
  return new WireError(`proto: wrong wireType = ${reader.wireType} for field ${goName}`)
}

/**
 * The Go value of a field that the JSON does not have: the zero value, which is written all the same; nil, which is not written;
 * or either of them. 'never': encoded JSON always has the field, only unfinished objects may lack it.
 */
export type Absence = 'zero' | 'nothing' | 'nothing or zero' | 'never'

/** Returns the Go value of a singular field that the JSON does not have. */
export function absenceOf(table: FieldTable, codec: ValueCodec): Absence {
  if (table.type.startsWith('*')) return 'nothing'
  const omitted = codec.omittable && table.omitempty === true
  if (codec.nullable) return omitted ? 'nothing or zero' : 'nothing'
  return omitted ? 'zero' : 'never'
}

/** Returns the encoded field for JSON that does not have it: no bytes, or the zero value. */
export function absentField(number: number, codec: ValueCodec, absence: Absence): Uint8Array {
  if (absence !== 'zero' && absence !== 'never') return new Uint8Array()
  const writer = new Writer(64)
  codec.write(writer, codec.zero())
  writer.writeVarint(number * 8 + codec.wireType)
  return writer.take()
}

/** A singular field. If it occurs again, the last value is used; messages are merged. */
export class SingularField implements MessageField {
  private readonly place: FieldProperties
  private readonly codec: ValueCodec
  private readonly omitsZero: boolean
  private readonly absence: Absence
  private readonly tag: number
  /** The field's bytes if the object does not have it. Made on first use, because types may be recursive. */
  private absent: Uint8Array | undefined

  constructor(place: FieldProperties, codec: ValueCodec, absence: Absence) {
    this.place = place
    this.codec = codec
    this.omitsZero = absence === 'zero' || absence === 'nothing or zero'
    this.absence = absence
    this.tag = tagOf(place, codec.wireType)
  }

  read(values: Values, reader: Reader): void {
    const { codec, place } = this
    if (reader.wireType !== codec.wireType) throw wrongWireType(place.goName, reader)
    const value = codec.read(reader, values[place.index])
    values[place.index] = this.omitsZero && value === codec.zero() ? undefined : value
  }

  write(writer: Writer, object: JsonObject): void {
    const value = object[this.place.name]
    if (value !== undefined && value !== null) {
      this.codec.write(writer, value)
      writer.writeVarint(this.tag)
    } else {
      this.absent ??= absentField(this.place.number, this.codec, this.absence)
      writer.writeBytes(this.absent)
    }
  }
}

/** A list: one occurrence of the field per element, or packed numbers. */
export class RepeatedField implements MessageField {
  private readonly place: FieldProperties
  private readonly codec: ValueCodec
  private readonly tag: number

  constructor(place: FieldProperties, codec: ValueCodec) {
    this.place = place
    this.codec = codec
    this.tag = tagOf(place, codec.wireType)
  }

  read(values: Values, reader: Reader): void {
    const { codec, place } = this
    let list = values[place.index]
    if (!Array.isArray(list)) {
      list = []
      values[place.index] = list
    }
    if (reader.wireType === codec.wireType) list.push(codec.read(reader, undefined))
    else if (reader.wireType === LENGTH_DELIMITED) this.readPacked(list, reader)
    else throw wrongWireType(place.goName, reader)
  }

  private readPacked(list: JsonValue[], reader: Reader): void {
    const end = reader.readEnd()
    while (reader.position < end) list.push(this.codec.read(reader, undefined))
  }

  /** Writes one occurrence per element; Go does not pack numbers. */
  write(writer: Writer, object: JsonObject): void {
    const list = object[this.place.name]
    if (!Array.isArray(list)) return
    const { codec, tag } = this
    for (let index = list.length - 1; index >= 0; index--) {
      codec.write(writer, list[index] ?? codec.zero())
      writer.writeVarint(tag)
    }
  }
}

/** Returns the keys in the order of their bytes. */
function sortedKeys(map: JsonObject): string[] {
  const keys = Object.keys(map)
  for (let index = 1; index < keys.length; index++) {
    // The order of UTF-16 differs from that of the bytes only for surrogates.
    if ((keys[index] as string) < (keys[index - 1] as string)) return keys.some(isWide) ? keys.sort(byBytes) : keys.sort()
  }
  return keys.some(isWide) ? keys.sort(byBytes) : keys
}

const surrogates = /[\ud800-\udfff]/
const isWide = (key: string): boolean => surrogates.test(key)
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const keyTag = 1 * 8 + LENGTH_DELIMITED

/** A map: one occurrence of the field per entry, a message with the key in field 1 and the value in field 2. */
export class MapField implements MessageField {
  private readonly place: FieldProperties
  private readonly codec: ValueCodec
  private readonly tag: number
  private readonly valueTag: number

  constructor(place: FieldProperties, codec: ValueCodec) {
    this.place = place
    this.codec = codec
    this.tag = tagOf(place, LENGTH_DELIMITED)
    this.valueTag = 2 * 8 + codec.wireType
  }

  read(values: Values, reader: Reader): void {
    const { place } = this
    if (reader.wireType !== LENGTH_DELIMITED) throw wrongWireType(place.goName, reader)
    let map = values[place.index]
    if (map === undefined) {
      map = {}
      values[place.index] = map
    }
    this.readEntry(map as JsonObject, reader)
  }

  /**
   * Reads an entry. As in Go, its wire types are not checked. Go also accepts a text that extends beyond its entry and continues
   * after the entry; many such entries would take quadratic time, so they are rejected.
   */
  private readEntry(map: JsonObject, reader: Reader): void {
    const end = reader.readEnd()
    const outer = reader.end
    reader.end = end
    let key = ''
    let value: JsonValue | undefined
    while (reader.position < end) {
      const start = reader.position
      const number = reader.readEntryTag()
      if (number === 1) key = reader.readText()
      else if (number === 2) value = this.codec.read(reader, undefined)
      else reader.skip(start)
    }
    reader.end = outer
    setKey(map, key, value ?? this.codec.zero())
  }

  write(writer: Writer, object: JsonObject): void {
    const map = object[this.place.name]
    if (map === undefined || map === null) return
    const keys = sortedKeys(map as JsonObject)
    for (let index = keys.length - 1; index >= 0; index--) {
      const key = keys[index] as string
      this.writeEntry(writer, key, (map as JsonObject)[key] ?? null)
    }
  }

  private writeEntry(writer: Writer, key: string, value: JsonValue): void {
    const { codec } = this
    const behind = writer.length
    // Empty bytes are not written as a value; a message always is.
    if (value !== null || !codec.nullable || !codec.omittable) {
      codec.write(writer, value ?? codec.zero())
      writer.writeByte(this.valueTag)
    }
    writer.writeText(key)
    writer.writeByte(keyTag)
    writer.writeVarint(writer.length - behind)
    writer.writeVarint(this.tag)
  }
}

/** The fields of a message: reads to the end of the reader's message, and writes. */
export interface Fields {
  readInto(values: Values, reader: Reader): void
  write(writer: Writer, object: JsonObject): void
}

/** An embedded struct: a nested message on the wire, whose fields are inline in JSON. */
export class EmbeddedField implements MessageField {
  private readonly goName: string
  private readonly message: Fields
  private readonly tag: number

  constructor(goName: string, number: number, message: Fields) {
    this.goName = goName
    this.message = message
    this.tag = number * 8 + LENGTH_DELIMITED
  }

  read(values: Values, reader: Reader): void {
    if (reader.wireType !== LENGTH_DELIMITED) throw wrongWireType(this.goName, reader)
    const outer = reader.enter()
    this.message.readInto(values, reader)
    reader.leave(outer)
  }
  write(writer: Writer, object: JsonObject): void {
    const behind = writer.length
    this.message.write(writer, object)
    writer.writeVarint(writer.length - behind)
    writer.writeVarint(this.tag)
  }
}
