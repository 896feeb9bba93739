/** Fields of a message: where on the wire they stand, and how what is read gets into the JSON object, and out of it again. */
import { setKey } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { FieldTable } from '../schema/tables.ts'
import type { ValueCodec } from './values.ts'
import { LENGTH_DELIMITED, type Reader, WireError } from './wire.ts'
import { Writer } from './writer.ts'

/** What has been read of an object: the values of its fields, by the fields' indexes. */
export type Values = (JsonValue | undefined)[]

/** A field of a message. */
export interface MessageField {
  /**
   * Reads the value behind a tag and puts it into `values`.
   * @throws WireError
   */
  read(values: Values, reader: Reader): void
  /** Writes the field of an object with its tag, as Go does where the object does not have it. */
  write(writer: Writer, object: JsonObject): void
}

/** What all fields have. */
export interface FieldPlace {
  /** In JSON. */
  readonly name: string
  /** Which of the object's values the field is. */
  readonly index: number
  readonly number: number
  /** In Go, which errors show. */
  readonly goName: string
}

/** What stands in front of a value. */
const tagOf = ({ number }: FieldPlace, wireType: number): number => number * 8 + wireType

function wrongWireType(goName: string, reader: Reader): WireError {
  return new WireError(`proto: wrong wireType = ${reader.wireType} for field ${goName}`)
}

/**
 * What Go has where JSON does not have a field: the zero value, which is on the wire all the same; nothing, and then the wire
 * has nothing; or either of them. 'never': the JSON has the field always, and only objects in the making may lack it.
 */
export type Absence = 'zero' | 'nothing' | 'nothing or zero' | 'never'

/** What Go has where the JSON does not have a field of one value. */
export function absenceOf(table: FieldTable, codec: ValueCodec): Absence {
  if (table.type.startsWith('*')) return 'nothing'
  const omitted = codec.omittable && table.omitempty === true
  if (codec.nullable) return omitted ? 'nothing or zero' : 'nothing'
  return omitted ? 'zero' : 'never'
}

/** The whole field where the JSON does not have it: nothing, or the zero value. */
export function absentField(number: number, codec: ValueCodec, absence: Absence): Uint8Array {
  if (absence !== 'zero' && absence !== 'never') return new Uint8Array()
  const writer = new Writer(64)
  codec.write(writer, codec.zero())
  writer.writeVarint(number * 8 + codec.wireType)
  return writer.take()
}

/** A field with one value. Given again, the last counts; messages are merged. */
export class SingularField implements MessageField {
  private readonly place: FieldPlace
  private readonly codec: ValueCodec
  private readonly omitsZero: boolean
  private readonly absence: Absence
  private readonly tag: number
  /** The field where the object does not have it. Made when first needed, because types may recurse. */
  private absent: Uint8Array | undefined

  constructor(place: FieldPlace, codec: ValueCodec, absence: Absence) {
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

/** A list: an element for each time that the field is there, or many numbers at once. */
export class RepeatedField implements MessageField {
  private readonly place: FieldPlace
  private readonly codec: ValueCodec
  private readonly tag: number

  constructor(place: FieldPlace, codec: ValueCodec) {
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

  /** Go packs no numbers. */
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

/** The keys in the order of their bytes. */
function sortedKeys(map: JsonObject): string[] {
  const keys = Object.keys(map)
  for (let index = 1; index < keys.length; index++) {
    // The order of UTF-16 is that of the bytes but for surrogates.
    if ((keys[index] as string) < (keys[index - 1] as string)) return keys.some(isWide) ? keys.sort(byBytes) : keys.sort()
  }
  return keys.some(isWide) ? keys.sort(byBytes) : keys
}

const surrogates = /[\ud800-\udfff]/
const isWide = (key: string): boolean => surrogates.test(key)
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const keyTag = 1 * 8 + LENGTH_DELIMITED

/** A map: an entry for each time that the field is there, with the key in field 1 and the value in field 2. */
export class MapField implements MessageField {
  private readonly place: FieldPlace
  private readonly codec: ValueCodec
  private readonly tag: number
  private readonly valueTag: number

  constructor(place: FieldPlace, codec: ValueCodec) {
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
   * Go does not look at the wire types in an entry. It takes texts that reach beyond the entry too, and then goes back to where
   * it ends: many such entries would take quadratic time, so they are refused.
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
    // Of bytes that are nothing there is nothing; a message is always there.
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

/** Reads fields of an object until the reader's message ends, and writes them. */
export interface Fields {
  readInto(values: Values, reader: Reader): void
  write(writer: Writer, object: JsonObject): void
}

/** A struct that is embedded: a message of its own on the wire, whose fields stand in the JSON of the one around it. */
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
