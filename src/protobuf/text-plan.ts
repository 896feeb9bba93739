/** What is known beforehand of a message that is written of JSON text: its fields as they stand in the text, and on the wire. */
import type { FieldTable } from '../schema/tables.ts'
import { absenceOf, absentField } from './fields.ts'
import type { ValueCodec } from './values.ts'
import { LENGTH_DELIMITED } from './wire.ts'

/** How a value becomes what stands on the wire. */
export const TEXT = 0
export const BOOL = 1
export const INTEGER = 2
export const MESSAGE = 3
/** A text that is field 1 of a message. */
export const WRAPPED_TEXT = 4
/** A Timestamp of whole seconds. */
export const TIME = 5
/** Whatever JSON it is, as field 1 of a message. */
export const WRAPPED_JSON = 6
/** By way of the value that JSON.parse makes of it. */
export const VALUE = 7
/** A message of the wire whose fields the text has in the object around it. */
export const EMBEDDED = 8

/** How often the value is there. */
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
  'runtime.RawExtension': WRAPPED_JSON,
  'apiextensions/v1.JSON': WRAPPED_JSON,
}

/** What a plan is made from. */
export interface PlannedTypes {
  underlying(reference: string): string
  codecOf(reference: string): ValueCodec
  /** The fields of a struct that is a message like its JSON; undefined of any other type. */
  structOf(type: string): { readonly [name: string]: FieldTable } | undefined
}

/** A field. All have the same form, which is what makes them quick to go through. */
export interface FieldPlan {
  /** In UTF-8. */
  readonly name: Uint8Array
  /** The name as it stands in the text: between quotes, with the colon behind it. */
  readonly quoted: Uint8Array
  /** What followed it in the last text that had it: most likely it follows again. */
  follower: FieldPlan | undefined
  /** Among the fields of its object, in the order of the text. */
  readonly position: number
  readonly tag: number
  readonly shape: number
  readonly often: number
  /** The fields of a message. */
  readonly message: MessagePlan
  readonly codec: ValueCodec
  /** The wire's tag of a map's values. */
  readonly valueTag: number
  /** The whole field where the text does not have it; empty where the wire then has nothing. */
  readonly absent: Uint8Array
}

/** By what a name is told from most others at one look. */
export const signatureOf = (bytes: Uint8Array, start: number, end: number): number =>
  (end - start) | ((bytes[start] as number) << 8) | ((bytes[end - 1] as number) << 16)

/** The fields of an object: filled in when it is known to all, because types may recurse. */
export class MessagePlan {
  /** In the order of the text. */
  fields: readonly FieldPlan[] = []
  /** In the order in which they are written: what is embedded is one of them. */
  backwards: readonly FieldPlan[] = []
  /** What stood first in the last text. */
  first: FieldPlan | undefined
  private signatures: Int32Array = new Int32Array()

  fill(fields: readonly FieldPlan[], backwards: readonly FieldPlan[]): void {
    this.fields = fields
    this.backwards = backwards
    this.signatures = Int32Array.from(fields, ({ name }) => signatureOf(name, 0, name.length))
  }

  /** The field of the name that stands in the text; `next` is where it is if the text keeps to the order. */
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

/** Makes the plans of a set of types, each once. */
export class Plans {
  private readonly types: PlannedTypes
  private readonly plans = new Map<string, MessagePlan>()

  constructor(types: PlannedTypes) {
    this.types = types
  }

  /** @throws Error where the type is no struct */
  of(reference: string): MessagePlan {
    const known = this.plans.get(reference)
    if (known !== undefined) return known
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
    return { ...noName, position: 0, tag, shape: EMBEDDED, often: ONCE, message, codec, valueTag: 0, absent: nothing }
  }

  private field({ name, position, table }: PlacedField): FieldPlan {
    const number = table.protobuf ?? 0
    const type = this.types.underlying(table.type)
    const often = type.startsWith('map[') ? MAP : type.startsWith('[]') && type !== '[]byte' ? LIST : ONCE
    const element = this.types.underlying(often === ONCE ? type : type.slice(type.indexOf(']') + 1))
    const codec = this.types.codecOf(element)
    const isStruct = this.types.structOf(element) !== undefined
    return {
      name: encoder.encode(name),
      quoted: encoder.encode(`"${name}":`),
      follower: undefined,
      position,
      tag: number * 8 + (often === MAP ? LENGTH_DELIMITED : codec.wireType),
      shape: isStruct ? MESSAGE : (shapes[element] ?? (codec === this.types.codecOf('string') ? TEXT : VALUE)),
      often,
      message: isStruct ? this.of(element) : noMessage,
      codec,
      valueTag: 2 * 8 + codec.wireType,
      absent: often === ONCE ? absentField(number, codec, absenceOf(table, codec)) : nothing,
    }
  }
}
