/**
 * How server-side apply sees types: what is owned as a whole and what by its parts.
 * Follows structured-merge-diff's schema and kube-openapi's schemaconv, which makes it of the OpenAPI document.
 */

import type { JsonValue } from '../go/json-value.ts'
import { compareText } from '../go/text.ts'
import type { Field, List, Struct, Type } from '../schema/type.ts'
import { fieldElement } from './path-element.ts'

/** Owned as a whole: scalars and all that is atomic. */
export interface LeafShape {
  readonly kind: 'leaf'
  /** It has parts, which are not owned. */
  readonly atomic: boolean
}

/** Of no known type: objects are owned key by key, all else as a whole. */
export interface DeducedShape {
  readonly kind: 'deduced'
}

/** A list whose items are named by their value. */
export interface SetShape {
  readonly kind: 'set'
  readonly item: Shape
}

/** A list whose items are named by some of their fields, in alphabetical order. */
export interface ListMapShape {
  readonly kind: 'list-map'
  readonly item: Shape
  readonly keys: readonly ListKey[]
}

/** A field that names list items. */
export interface ListKey {
  readonly name: string
  /** What stands for an absent field; undefined where its absence is a name of its own. */
  readonly default: JsonValue | undefined
}

/** An object with keys of the user's choice. */
export interface MapShape {
  readonly kind: 'map'
  readonly value: Shape
}

/** An object with known fields. */
export interface StructShape {
  readonly kind: 'struct'
  readonly fields: ReadonlyMap<string, FieldShape>
  /** The fields that Go's JSON never leaves out. */
  readonly always: readonly FieldShape[]
  /** What a key is that is no field; absent where there are none. */
  readonly other?: (name: string) => FieldShape
}

export type Shape = LeafShape | DeducedShape | SetShape | ListMapShape | MapShape | StructShape

const SCALAR: LeafShape = { kind: 'leaf', atomic: false }
const ATOMIC: LeafShape = { kind: 'leaf', atomic: true }
const DEDUCED: DeducedShape = { kind: 'deduced' }

/** Go's zero values as JSON. Types that are not here are null when they hold nothing. */
const ZEROS: ReadonlyMap<Type['kind'], JsonValue> = new Map<Type['kind'], JsonValue>([
  ['string', ''],
  ['boolean', false],
  ['quantity', '0'],
  ['duration', '0s'],
  ['intOrString', 0],
  ['struct', Object.freeze({})],
  ...(['int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float32', 'float64'] as const).map((kind) => [kind, 0] as const),
])

/** Go structs to JSON: omitempty does not leave them out. */
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

/** What Go's JSON writes for the field when it holds nothing, undefined for one that is then left out. */
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
  /** What an absent field holds, undefined for nothing. */
  readonly zero: JsonValue | undefined
  /** Where the field stands among the struct's, in the order of steps. */
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

  /** Made when it is first asked for, because types may contain themselves. */
  get shape(): Shape {
    this.made ??= shapeOf(this.type)
    return this.made
  }
}

const shapes = new WeakMap<Type, Shape>()

/** The shape of a type: made at its first use and kept as long as the type is. */
export function shapeOf(type: Type): Shape {
  const known = shapes.get(type)
  if (known !== undefined) return known
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

/** A granular map, whose values may be of a type that contains it. */
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

/** A field that is not declared: where it is absent there is nothing. */
const unnamed: Omit<Field, 'name' | 'type'> = {
  pointer: true,
  omitempty: true,
  omitzero: false,
  required: false,
  default: undefined,
  patchStrategy: [],
  patchMergeKey: '',
}

/** A field of a struct, declared or not; undefined where the struct has none of this name. */
export function fieldNamed(shape: StructShape, name: string): FieldShape | undefined {
  return shape.fields.get(name) ?? shape.other?.(name)
}

function structShape(type: Struct): StructShape {
  const sorted = [...type.fields.values()].sort((a, b) => compareText(a.name, b.name))
  const fields = new Map(sorted.map((field, rank) => [field.name, new FieldShape(field, rank)]))
  const always = [...fields.values()].filter((field) => field.zero !== undefined)
  const { others } = type
  if (others === undefined) return { kind: 'struct', fields, always }
  return { kind: 'struct', fields, always, other: (name) => new FieldShape({ ...unnamed, name, type: others }, 0) }
}

function listShape(type: List): SetShape | ListMapShape {
  const { element } = type
  if (type.listType === 'set') return { kind: 'set', item: shapeOf(element) }
  const keys = [...type.keys].sort(compareText).map((name) => listKey(element, name))
  return new ListOfShape(element, keys)
}

/** A list by keys, whose items may be of a type that contains it. */
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
