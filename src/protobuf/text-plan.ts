/** Plans for writing messages from JSON text: the fields with their form in the text and on the wire, prepared once per type. */
import type { FieldTable } from '../schema/tables.ts'
import { absenceOf, absentField } from './fields.ts'
import type { ValueCodec } from './values.ts'
import { LENGTH_DELIMITED } from './wire.ts'

/** The conversions of a value to its wire form. */
export const TEXT = 0
export const BOOL = 1
export const INTEGER = 2
export const MESSAGE = 3
/** A text that is field 1 of a message. */
export const WRAPPED_TEXT = 4
/** A Timestamp of whole seconds. */
export const TIME = 5
/** JSON without Go's escapes for HTML, as field 1 of a message. */
export const WRAPPED_JSON = 6
/** A value that is parsed with JSON.parse and written by its codec. */
export const VALUE = 7
/** A nested message whose fields are inline in the text. */
export const EMBEDDED = 8
/** JSON as it is in the text, as field 1 of a message. */
export const WRAPPED_TEXT_OF_JSON = 9

/** The number of values: one, a list or a map. */
export const ONCE = 0
export const LIST = 1
export const MAP = 2

const shapes: Readonly<Record<string, number>> = {
  string: TEXT,
  bool: BOOL,
  int32: INTEGER,
  int64: INTEGER,
  uint32: INTEGER,
  uint64: INTEGER,
  'time.Duration': INTEGER,
  'resource.Quantity': WRAPPED_TEXT,
  'meta/v1.Time': TIME,
  'meta/v1.FieldsV1': WRAPPED_JSON,
  'runtime.RawExtension': WRAPPED_TEXT_OF_JSON,
  'apiextensions/v1.JSON': WRAPPED_TEXT_OF_JSON,
}

/** The properties of types that plans need. */
export interface PlannedTypes {
  underlying(reference: string): string
  codecOf(reference: string): ValueCodec
  /** Returns the fields of a struct whose message has the same fields as its JSON; undefined for other types. */
  structOf(type: string): { readonly [name: string]: FieldTable } | undefined
}

/** A field. All plans have the same hidden class, so that the loops over them are fast. */
export interface FieldPlan {
  /** The name in UTF-8. */
  readonly name: Uint8Array
  /** The name as in the text: in quotes and with a colon. */
  readonly quoted: Uint8Array
  /** The field that followed this one in the last text; it most likely follows again. */
  follower: FieldPlan | undefined
  /** The index among the fields of its object, in the order of the text. */
  readonly position: number
  readonly tag: number
  readonly shape: number
  readonly cardinality: number
  /** The plan of a message. */
  readonly message: MessagePlan
  readonly codec: ValueCodec
  /** The tag of a map's values. */
  readonly valueTag: number
  /** The bytes to write if the text does not have the field; empty if nothing is to be written. */
  readonly absent: Uint8Array
}

/** Returns a number that distinguishes a name from most others. */
export const signatureOf = (bytes: Uint8Array, start: number, end: number): number =>
  (end - start) | ((bytes[start] as number) << 8) | ((bytes[end - 1] as number) << 16)

/** The fields of an object. Filled in after it is registered, because types may be recursive. */
export class MessagePlan {
  /** The fields in the order of the text. */
  fields: readonly FieldPlan[] = []
  /** The fields in the order in which they are written (backwards), including embedded messages. */
  backwards: readonly FieldPlan[] = []
  /** The first field of the last text. */
  first: FieldPlan | undefined
  private signatures: Int32Array = new Int32Array()

  fill(fields: readonly FieldPlan[], backwards: readonly FieldPlan[]): void {
    this.fields = fields
    this.backwards = backwards
    this.signatures = Int32Array.from(fields, ({ name }) => signatureOf(name, 0, name.length))
  }

  /** Finds the field for the name in the text; `next` is its index if the text is in the usual order. */
  find(bytes: Uint8Array, start: number, end: number, next: number): FieldPlan | undefined {
    const { signatures } = this
    const signature = signatureOf(bytes, start, end)
    const count = signatures.length
    for (let tried = 0, at = next; tried < count; tried++, at++) {
      if (at >= count) at -= count
      if (signatures[at] !== signature) continue
      const field = this.fields[at] as FieldPlan
      if (isName(field.name, bytes, start)) return field
    }
    return undefined
  }
}

function isName(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let index = 1; index < name.length; index++) if (name[index] !== bytes[start + index]) return false
  return true
}

const noMessage = new MessagePlan()
const nothing = new Uint8Array()
const encoder = new TextEncoder()

const noName = { name: nothing, quoted: nothing, follower: undefined }

interface PlacedField {
  readonly name: string
  readonly position: number
  readonly table: FieldTable
}

/** Makes the plan of each type once. */
export class Plans {
  private readonly types: PlannedTypes
  private readonly plans = new Map<string, MessagePlan>()

  constructor(types: PlannedTypes) {
    this.types = types
  }

  /** @throws Error if the type is not a struct */
  of(reference: string): MessagePlan {
    const cached = this.plans.get(reference)
    if (cached !== undefined) return cached
    const type = this.types.underlying(reference)
    if (type !== reference) {
      const plan = this.of(type)
      this.plans.set(reference, plan)
      return plan
    }
    const tables = this.types.structOf(type)
    if (tables === undefined) throw new Error(`${reference} is no struct`)
    const plan = new MessagePlan()
    this.plans.set(type, plan)
    const onWire = Object.entries(tables).filter(
      ([, { protobuf, protobufPath }]) => (protobufPath?.[0] ?? protobuf) !== undefined,
    )
    const placed = onWire.map(([name, table], position) => ({ name, position, table }))
    const fields = placed.map((field) => this.field(field))
    plan.fill(fields, this.backwards(placed, fields))
    return plan
  }

  private backwards(placed: readonly PlacedField[], fields: readonly FieldPlan[]): FieldPlan[] {
    const byNumber: (FieldPlan | undefined)[] = []
    for (const { position, table } of placed) {
      const number = table.protobufPath?.[0] ?? table.protobuf ?? 0
      byNumber[number] ??= table.protobufPath === undefined ? fields[position] : this.embedded(number, placed, fields)
    }
    return byNumber.filter((field) => field !== undefined).reverse()
  }

  private embedded(number: number, placed: readonly PlacedField[], fields: readonly FieldPlan[]): FieldPlan {
    const inner = placed
      .filter(({ table }) => table.protobufPath?.[0] === number)
      .map(({ table: { protobufPath = [], ...table }, ...field }) => {
        const rest = protobufPath.slice(1)
        return { ...field, table: rest.length === 0 ? table : { ...table, protobufPath: rest } }
      })
    const message = new MessagePlan()
    message.fill([], this.backwards(inner, fields))
    const tag = number * 8 + LENGTH_DELIMITED
    const codec = this.types.codecOf('string')
    return { ...noName, position: 0, tag, shape: EMBEDDED, cardinality: ONCE, message, codec, valueTag: 0, absent: nothing }
  }

  private field({ name, position, table }: PlacedField): FieldPlan {
    const number = table.protobuf ?? 0
    const type = this.types.underlying(table.type)
    const cardinality = type.startsWith('map[') ? MAP : type.startsWith('[]') && type !== '[]byte' ? LIST : ONCE
    const element = this.types.underlying(cardinality === ONCE ? type : type.slice(type.indexOf(']') + 1))
    const codec = this.types.codecOf(element)
    const isStruct = this.types.structOf(element) !== undefined
    return {
      name: encoder.encode(name),
      quoted: encoder.encode(`"${name}":`),
      follower: undefined,
      position,
      tag: number * 8 + (cardinality === MAP ? LENGTH_DELIMITED : codec.wireType),
      shape: isStruct ? MESSAGE : (shapes[element] ?? (codec === this.types.codecOf('string') ? TEXT : VALUE)),
      cardinality,
      message: isStruct ? this.of(element) : noMessage,
      codec,
      valueTag: 2 * 8 + codec.wireType,
      absent: cardinality === ONCE ? absentField(number, codec, absenceOf(table, codec)) : nothing,
    }
  }
}
