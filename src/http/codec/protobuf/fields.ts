/** Fields of a message: where on the wire they stand, and how what is read gets into the JSON object. */
import { setKey } from '../../../meta/json.ts'
import type { JsonObject, JsonValue } from '../../../meta/json-value.ts'
import type { ValueCodec } from './values.ts'
import { LENGTH_DELIMITED, type Reader, WireError } from './wire.ts'

/** What has been read of an object: the values of its fields, by the fields' indexes. */
export type Values = (JsonValue | undefined)[]

/** A field of a message. */
export interface MessageField {
  /**
   * Reads the value behind a tag and puts it into `values`.
   * @throws WireError
   */
  read(values: Values, reader: Reader): void
}

/** What all fields have. */
export interface FieldPlace {
  /** Which of the object's values the field is. */
  readonly index: number
  /** In Go, which errors show. */
  readonly goName: string
}

function wrongWireType(goName: string, reader: Reader): WireError {
  return new WireError(`proto: wrong wireType = ${reader.wireType} for field ${goName}`)
}

/** A field with one value. Given again, the last counts; messages are merged. */
export class SingularField implements MessageField {
  private readonly place: FieldPlace
  private readonly codec: ValueCodec
  /** Go leaves the zero value out of the JSON, which is on the wire all the same. */
  private readonly omitsZero: boolean

  constructor(place: FieldPlace, codec: ValueCodec, omitsZero: boolean) {
    this.place = place
    this.codec = codec
    this.omitsZero = omitsZero
  }

  read(values: Values, reader: Reader): void {
    const { codec, place } = this
    if (reader.wireType !== codec.wireType) throw wrongWireType(place.goName, reader)
    const value = codec.read(reader, values[place.index])
    values[place.index] = this.omitsZero && value === codec.zero() ? undefined : value
  }
}

/** A list: an element for each time that the field is there, or many numbers at once. */
export class RepeatedField implements MessageField {
  private readonly place: FieldPlace
  private readonly codec: ValueCodec

  constructor(place: FieldPlace, codec: ValueCodec) {
    this.place = place
    this.codec = codec
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
}

/** A map: an entry for each time that the field is there, with the key in field 1 and the value in field 2. */
export class MapField implements MessageField {
  private readonly place: FieldPlace
  private readonly codec: ValueCodec

  constructor(place: FieldPlace, codec: ValueCodec) {
    this.place = place
    this.codec = codec
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
}

/** Reads fields of an object until the reader's message ends. */
export interface FieldsReader {
  readInto(values: Values, reader: Reader): void
}

/** A struct that is embedded: a message of its own on the wire, whose fields stand in the JSON of the one around it. */
export class EmbeddedField implements MessageField {
  private readonly goName: string
  private readonly message: FieldsReader

  constructor(goName: string, message: FieldsReader) {
    this.goName = goName
    this.message = message
  }

  read(values: Values, reader: Reader): void {
    if (reader.wireType !== LENGTH_DELIMITED) throw wrongWireType(this.goName, reader)
    const outer = reader.enter()
    this.message.readInto(values, reader)
    reader.leave(outer)
  }
}
