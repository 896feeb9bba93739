/**
 * The merge schema of types: which values are owned as a whole, and which by their parts. Follows structured-merge-diff's schema
 * and kube-openapi's schemaconv, which derives it from the OpenAPI document.
 */

import type { JsonValue } from '../go/json-value.ts'
import { compareText } from '../go/text.ts'
import type { Field, List, Struct, Type } from '../schema/type.ts'
import { fieldElement } from './path-element.ts'

/** A value that is owned as a whole: a scalar or an atomic value. */
export interface LeafShape {
  readonly kind: 'leaf'
  /** Whether it has parts, which are not owned separately. */
  readonly atomic: boolean
}

/** A value of unknown type: objects are owned key by key, all other values as a whole. */
export interface DeducedShape {
  readonly kind: 'deduced'
}

/** A list whose items are identified by their values. */
export interface SetShape {
  readonly kind: 'set'
  readonly item: Shape
}

/** A list whose items are identified by some of their fields, in alphabetical order. */
export interface ListMapShape {
  readonly kind: 'list-map'
  readonly item: Shape
  readonly keys: readonly ListKey[]
}

/** A field that identifies list items. */
export interface ListKey {
  readonly name: string
  /** The value of an absent key; undefined if absence itself identifies the item. */
  readonly default: JsonValue | undefined
}

/** An object with arbitrary keys. */
export interface MapShape {
  readonly kind: 'map'
  readonly value: Shape
}

/** An object with known fields. */
export interface StructShape {
  readonly kind: 'struct'
  readonly fields: ReadonlyMap<string, FieldShape>
  /** The fields that Go's JSON never omits. */
  readonly always: readonly FieldShape[]
  /** Returns the shape of a key that is not a field; absent if other keys are not allowed. */
  readonly other?: (name: string) => FieldShape
}

export type Shape = LeafShape | DeducedShape | SetShape | ListMapShape | MapShape | StructShape

const SCALAR: LeafShape = { kind: 'leaf', atomic: false }
const ATOMIC: LeafShape = { kind: 'leaf', atomic: true }
const DEDUCED: DeducedShape = { kind: 'deduced' }

/** Go's zero values as JSON. The zero value of all other types is null. */
const ZEROS: ReadonlyMap<Type['kind'], JsonValue> = new Map<Type['kind'], JsonValue>([
  ['string', ''],
  ['boolean', false],
  ['quantity', '0'],
  ['duration', '0s'],
  ['intOrString', 0],
  ['struct', Object.freeze({})],
  ...(['int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float32', 'float64'] as const).map((kind) => [kind, 0] as const),
])

/** The types that are structs in Go, so that omitempty does not omit them. */
const STRUCTS: ReadonlySet<Type['kind']> = new Set<Type['kind']>([
  'struct',
  'time',
  'microTime',
  'duration',
  'quantity',
  'intOrString',
  'rawExtension',
  'fieldsV1',
])

/** Returns the zero value that Go's JSON writes for the field; undefined if it is omitted. */
function zeroOf(field: Field): JsonValue | undefined {
  if (field.omitzero) return undefined
  if (field.pointer) return field.omitempty ? undefined : null
  const { kind } = field.type
  return field.omitempty && !STRUCTS.has(kind) ? undefined : (ZEROS.get(kind) ?? null)
}

/** A field of a struct. */
export class FieldShape {
  readonly element: string
  readonly name: string
  /** The value of an absent field; undefined for none. */
  readonly zero: JsonValue | undefined
  /** The position of the field in the order of path elements. */
  readonly rank: number
  private readonly type: Type
  private made: Shape | undefined

  constructor(field: Field, rank: number) {
    this.element = fieldElement(field.name)
    this.name = field.name
    this.zero = zeroOf(field)
    this.rank = rank
    this.type = field.type
  }

  /** The shape of its type, made on first use because types may be recursive. */
  get shape(): Shape {
    this.made ??= shapeOf(this.type)
    return this.made
  }
}

const shapes = new WeakMap<Type, Shape>()

/** Returns the shape of a type, made on first use and cached for the lifetime of the type. */
export function shapeOf(type: Type): Shape {
  const cached = shapes.get(type)
  if (cached !== undefined) return cached
  const shape = makeShape(type)
  shapes.set(type, shape)
  return shape
}

function makeShape(type: Type): Shape {
  switch (type.kind) {
    case 'any':
      return DEDUCED
    case 'struct':
      return type.atomic ? ATOMIC : structShape(type)
    case 'map':
      return type.atomic ? ATOMIC : new MapOfShape(type.value)
    case 'list':
      return type.listType === 'atomic' ? ATOMIC : listShape(type)
    case 'rawExtension':
      return ATOMIC
    default:
      return SCALAR
  }
}

/** A granular map, whose value type may be recursive. */
class MapOfShape implements MapShape {
  readonly kind = 'map'
  private readonly type: Type

  constructor(value: Type) {
    this.type = value
  }

  get value(): Shape {
    return shapeOf(this.type)
  }
}

/** The properties of a field that is not declared: it has no zero value. */
const unnamed: Omit<Field, 'name' | 'type'> = {
  pointer: true,
  omitempty: true,
  omitzero: false,
  required: false,
  default: undefined,
  patchStrategy: [],
  patchMergeKey: '',
}

/** Returns a field of a struct, declared or not; undefined if the struct has no field of this name. */
export function fieldNamed(shape: StructShape, name: string): FieldShape | undefined {
  return shape.fields.get(name) ?? shape.other?.(name)
}

function structShape(type: Struct): StructShape {
  const sorted = [...type.fields.values()].sort((a, b) => compareText(a.name, b.name))
  const fields = new Map(sorted.map((field, rank) => [field.name, new FieldShape(field, rank)]))
  const always = [...fields.values()].filter((field) => field.zero !== undefined)
  const { additional: others } = type
  if (others === undefined) return { kind: 'struct', fields, always }
  return { kind: 'struct', fields, always, other: (name) => new FieldShape({ ...unnamed, name, type: others }, 0) }
}

function listShape(type: List): SetShape | ListMapShape {
  const { element } = type
  if (type.listType === 'set') return { kind: 'set', item: shapeOf(element) }
  const keys = [...type.keys].sort(compareText).map((name) => listKey(element, name))
  return new ListOfShape(element, keys)
}

/** An associative list, whose item type may be recursive. */
class ListOfShape implements ListMapShape {
  readonly kind = 'list-map'
  readonly keys: readonly ListKey[]
  private readonly element: Type

  constructor(element: Type, keys: readonly ListKey[]) {
    this.element = element
    this.keys = keys
  }

  get item(): Shape {
    return shapeOf(this.element)
  }
}

function listKey(element: Type, name: string): ListKey {
  const field = element.kind === 'struct' ? element.fields.get(name) : undefined
  if (field === undefined) return { name, default: undefined }
  return { name, default: field.default ?? (field.omitempty ? undefined : zeroOf(field)) }
}
