/** Fields of a message: where on the wire they stand, and how what is read gets into the JSON object. */
import { setKey } from '../../../meta/json.ts'
import type { JsonObject, JsonValue } from '../../../meta/json-value.ts'
import type { ValueCodec } from './values.ts'
import { LENGTH_DELIMITED, type Reader, WireError } from './wire.ts'

/** A field of a message. */
export interface MessageField {
  /**
   * Reads the value behind a tag and puts it into `object`.
   * @throws WireError
   */
  read(object: JsonObject, reader: Reader): void
}

/** What all fields have. */
export interface FieldName {
  /** In JSON. */
  readonly name: string
  /** In Go, which errors show. */
  readonly goName: string
}

function wrongWireType(field: FieldName, reader: Reader): WireError {
  return new WireError(`proto: wrong wireType = ${reader.wireType} for field ${field.goName}`)
}

/** A field with one value. Given again, the last counts; messages are merged. */
export class SingularField implements MessageField {
  private readonly field: FieldName
  private readonly codec: ValueCodec
  /** Go leaves the zero value out of the JSON, which is on the wire all the same. */
  private readonly omitsZero: boolean

  constructor(field: FieldName, codec: ValueCodec, omitsZero: boolean) {
    this.field = field
    this.codec = codec
    this.omitsZero = omitsZero
  }

  read(object: JsonObject, reader: Reader): void {
    const { codec, field } = this
    if (reader.wireType !== codec.wireType) throw wrongWireType(field, reader)
    const before = object[field.name]
    const value = codec.read(reader, before ?? undefined)
    if (!this.omitsZero || value !== codec.zero()) object[field.name] = value
    else if (before !== undefined) delete object[field.name]
  }
}

/** A list: an element for each time that the field is there, or many numbers at once. */
export class RepeatedField implements MessageField {
  private readonly field: FieldName
  private readonly codec: ValueCodec

  constructor(field: FieldName, codec: ValueCodec) {
    this.field = field
    this.codec = codec
  }

  read(object: JsonObject, reader: Reader): void {
    const { codec, field } = this
    let list = object[field.name]
    if (!Array.isArray(list)) {
      list = []
      object[field.name] = list
    }
    if (reader.wireType === codec.wireType) list.push(codec.read(reader, undefined))
    else if (reader.wireType === LENGTH_DELIMITED) this.readPacked(list, reader)
    else throw wrongWireType(field, reader)
  }

  private readPacked(list: JsonValue[], reader: Reader): void {
    const end = reader.readEnd()
    while (reader.position < end) list.push(this.codec.read(reader, undefined))
  }
}

/** A map: an entry for each time that the field is there, with the key in field 1 and the value in field 2. */
export class MapField implements MessageField {
  private readonly field: FieldName
  private readonly codec: ValueCodec

  constructor(field: FieldName, codec: ValueCodec) {
    this.field = field
    this.codec = codec
  }

  read(object: JsonObject, reader: Reader): void {
    const { field } = this
    if (reader.wireType !== LENGTH_DELIMITED) throw wrongWireType(field, reader)
    let map = object[field.name]
    if (map === undefined) {
      map = {}
      object[field.name] = map
    }
    this.readEntry(map as JsonObject, reader)
  }

  /** Go neither looks at the wire types in an entry, nor does it mind a text that reaches beyond it. */
  private readEntry(map: JsonObject, reader: Reader): void {
    const end = reader.readEnd()
    let key = ''
    let value: JsonValue | undefined
    while (reader.position < end) {
      const start = reader.position
      const number = reader.readEntryTag()
      if (number === 1) key = reader.readText()
      else if (number === 2) value = this.codec.read(reader, undefined)
      else reader.skip(start, end)
    }
    reader.position = end
    setKey(map, key, value ?? this.codec.zero())
  }
}

/** A struct that is embedded: a message of its own on the wire, whose fields stand in the JSON of the one around it. */
export class EmbeddedField implements MessageField {
  private readonly goName: string
  private readonly readInto: (object: JsonObject, reader: Reader) => void

  constructor(goName: string, readInto: (object: JsonObject, reader: Reader) => void) {
    this.goName = goName
    this.readInto = readInto
  }

  read(object: JsonObject, reader: Reader): void {
    if (reader.wireType !== LENGTH_DELIMITED) throw wrongWireType({ name: '', goName: this.goName }, reader)
    reader.enter(() => this.readInto(object, reader))
  }
}
