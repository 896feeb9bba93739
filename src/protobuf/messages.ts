/** All messages of a set of tables. */
import { type Numbers, parseJson } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import type { FieldTable, TypeTable, VersionTable } from '../schema/tables.ts'
import { ObjectMessage, SpecialCodec, StructCodec } from './message.ts'
import { type SpecialMessage, specialMessages } from './special.ts'
import { type PlannedTypes, Plans } from './text-plan.ts'
import { endOfText, unexpectedText } from './text-reader.ts'
import { TextWriter } from './text-writer.ts'
import { type ValueCodec, valueCodec } from './values.ts'
import { Reader } from './wire.ts'
import type { Writer } from './writer.ts'

/** Types that contain any JSON of a client. FieldsV1 also does, but has no numbers. */
const jsonTypes: ReadonlySet<string> = new Set(['runtime.RawExtension', 'apiextensions/v1.JSON', 'apiextensions/v1beta1.JSON'])

const decoder = new TextDecoder()

/** Returns a list that is a message of its own. */
function listMessage(name: string, type: string): SpecialMessage {
  return {
    name,
    fields: { items: { type, protobuf: 1 } },
    toJson: ({ items = null }) => items,
    fromJson: (items) => ({ items }),
    nullable: true,
  }
}

/**
 * Reads and writes the messages of a set of tables. Types have the names of the tables: `core/v1.ConfigMap`.
 * @example
 * messages.decode('core/v1.ConfigMap', bytes)
 * written((writer) => messages.write('core/v1.ConfigMap', writer, object))
 */
export class Messages implements PlannedTypes {
  readonly #tables: ReadonlyMap<string, VersionTable>
  /** The codecs by every reference that was used for their type. */
  readonly #codecs = new Map<string, ValueCodec>()
  readonly #numbers = new Map<string, Numbers>()
  readonly #plans = new Plans(this)
  readonly #text = new TextWriter()

  /** @param tables by `<package>/<version>` */
  constructor(tables: ReadonlyMap<string, VersionTable>) {
    this.#tables = tables
  }

  /** Whether the tables contain the type. */
  has(reference: string): boolean {
    return this.#tableOf(reference) !== undefined
  }

  /**
   * Decodes a message.
   * @returns the object as in a JSON body, without apiVersion and kind, which are in the envelope; schema/decode.ts then omits
   *   and adds fields as Go does
   * @throws WireError, an ApiError 400, if the bytes are not such a message
   */
  decode(reference: string, bytes: Uint8Array): JsonObject {
    return this.#struct(reference).readAll(new Reader(bytes))
  }

  /**
   * Writes a decoded and normalised object, byte for byte as kube-apiserver does. Its apiVersion and kind are not part of the
   * message.
   */
  write(reference: string, writer: Writer, object: JsonObject): void {
    this.#struct(reference).writeAll(writer, object)
  }

  /**
   * Writes an object from its stored JSON in UTF-8. Skips its apiVersion and kind, and all fields that the message does not have.
   * @param at the position in `bytes` at which the object begins
   * @returns the position after the object
   */
  writeText(reference: string, writer: Writer, bytes: Uint8Array, at = 0): number {
    const { reader } = this.#text
    const plan = this.#plans.of(reference)
    let start: number
    try {
      start = reader.read(plan, bytes, at)
    } catch (error) {
      if (error !== unexpectedText()) throw error
      const end = endOfText(bytes, at)
      const object = parseJson(decoder.decode(bytes.subarray(at, end)), this.numbersOf(reference))
      this.write(reference, writer, object as JsonObject)
      return end
    }
    const end = reader.at
    this.#text.write(writer, plan, start)
    reader.forget()
    return end
  }

  /**
   * Returns the mode of parseJson for objects to be written: `verbatim` if the message contains JSON of clients, whose numbers
   * keep their form.
   */
  numbersOf(reference: string): Numbers {
    let numbers = this.#numbers.get(reference)
    if (numbers === undefined) {
      numbers = this.#holdsJson(reference, new Set()) ? 'verbatim' : 'untyped'
      this.#numbers.set(reference, numbers)
    }
    return numbers
  }

  /** @param seen types that were already checked, because types may be recursive */
  #holdsJson(reference: string, seen: Set<string>): boolean {
    const type = this.underlying(reference.replace(/^\*?(?:\[\]|map\[[^\]]*\])*/, ''))
    if (seen.has(type)) return false
    seen.add(type)
    if (jsonTypes.has(type)) return true
    const table = this.#tableOf(type)
    if (table === undefined) return false
    if ('alias' in table) return this.#holdsJson(table.alias, seen)
    return Object.values(table.fields).some((field) => this.#holdsJson(field.type, seen))
  }

  /** Returns the number of a struct's field. */
  numberOf(reference: string, field: string): number {
    const table = this.#tableOf(this.underlying(reference))
    const number = table === undefined || 'alias' in table ? undefined : table.fields[field]?.protobuf
    if (number === undefined) throw new Error(`${reference} has no field ${field} in protobuf`)
    return number
  }

  underlying(reference: string): string {
    const type = reference.startsWith('*') ? reference.slice(1) : reference
    const table = this.#tableOf(type)
    return table === undefined || !('alias' in table) || table.message === true ? type : this.underlying(table.alias)
  }

  structOf(type: string): { readonly [name: string]: FieldTable } | undefined {
    if (!(this.codecOf(type) instanceof StructCodec)) return undefined
    const table = this.#tableOf(type)
    return table === undefined || 'alias' in table ? undefined : table.fields
  }

  codecOf(reference: string): ValueCodec {
    const cached = this.#codecs.get(reference)
    if (cached !== undefined) return cached
    const type = this.underlying(reference)
    const codec = type === reference ? this.#makeCodec(type) : this.codecOf(type)
    this.#codecs.set(reference, codec)
    return codec
  }

  #struct(reference: string): StructCodec {
    const codec = this.codecOf(reference)
    if (!(codec instanceof StructCodec)) throw new Error(`${reference} is no struct`)
    return codec
  }

  #makeCodec(type: string): ValueCodec {
    const special = Object.hasOwn(specialMessages, type) ? specialMessages[type] : undefined
    if (special !== undefined) return new SpecialCodec(special, this)
    return valueCodec(type) ?? this.#makeMessage(type)
  }

  #makeMessage(type: string): ValueCodec {
    const table = this.#tableOf(type)
    if (table === undefined) throw new Error(`no table has the type ${type}`)
    const name = type.slice(type.lastIndexOf('.') + 1)
    if ('alias' in table) return new SpecialCodec(listMessage(name, table.alias), this)
    return new StructCodec(new ObjectMessage(name, table.fields, this))
  }

  #tableOf(reference: string): TypeTable | undefined {
    const dot = reference.lastIndexOf('.')
    const types = this.#tables.get(reference.slice(0, dot))?.types
    const name = reference.slice(dot + 1)
    return types !== undefined && Object.hasOwn(types, name) ? types[name] : undefined
  }
}
