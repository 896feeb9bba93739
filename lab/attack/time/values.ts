/** Values of a chosen size that are slow for code whose time grows faster than its input: long texts, long lists and large maps. */
import type { JsonValue } from '../../../src/go/json-value.ts'
import type { Type } from '../../../src/schema/type.ts'
import { good } from '../../generated/cases.ts'

/** Makes a value of about `size` bytes for a field of this type and name. */
type Make = (type: Type, name: string, size: number) => JsonValue

/** A way to fill a field. */
export interface Shape {
  readonly name: string
  readonly make: Make
}

const repeated = (unit: string, size: number): string => unit.repeat(Math.max(1, Math.floor(size / unit.length)))

/** Texts that begin, repeat and end as the formats do that fields of Kubernetes have, each with its fault at the end. */
const texts: Readonly<Record<string, (size: number) => string>> = {
  letters: (size) => repeated('a', size),
  slashes: (size) => `a${repeated('/', size)}b`,
  dashes: (size) => `a${repeated('-', size)}!`,
  digits: (size) => repeated('1', size),
  zeros: (size) => `1${repeated('0', size)}x`,
  dots: (size) => `a${repeated('.', size)}`,
  labels: (size) => `${repeated('a.', size)}!`,
  commas: (size) => repeated('a,', size),
  blanks: (size) => `a${repeated(' ', size)}b`,
  lines: (size) => `a${repeated('\n', size)}b`,
  percents: (size) => repeated('%2', size),
  brackets: (size) => repeated('[', size),
  references: (size) => repeated('$(', size),
  colons: (size) => repeated('a:', size),
  pairs: (size) => repeated('a=b,', size),
  pem: (size) => repeated('-----BEGIN -----\n', size),
  wide: (size) => repeated('\u{1f600}', size),
  iqn: (size) => repeated('iqn.2001-01.', size),
  parents: (size) => `/${repeated('a/../', size)}`,
  users: (size) => `https://${repeated('a@', size)}`,
  hours: (size) => repeated('1h', size),
  quantity: (size) => `${repeated('9', size)}Ki`,
  nots: (size) => repeated('!', size),
  expression: (size) => repeated('a||', size),
  image: (size) => `${repeated('a/', size)}:x@sha256:`,
  address: (size) => `${repeated('1.', size)}/32`,
  words: (size) => repeated('::', size),
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** The share of a text that its base64 may have of the size. */
const share = 0.7

const textShapes = Object.entries(texts).map(
  ([name, text]): Shape => ({
    name,
    make: ({ kind }, _field, size) => (kind === 'bytes' ? base64(text(Math.floor(size * share))) : text(size)),
  }),
)

const sizeOf = (value: JsonValue): number => JSON.stringify(value).length + 1

/** Makes a list of as many elements as the size allows. */
function listOf(size: number, element: (index: number) => JsonValue): JsonValue[] {
  return Array.from({ length: Math.max(1, Math.floor(size / sizeOf(element(1)))) }, (_, index) => element(index))
}

/** Returns the value with another text or number in each of its own members, so that the elements of a list differ. */
function numbered(value: JsonValue, type: Type, index: number): JsonValue {
  if (typeof value === 'string') return `a${index}`
  if (typeof value === 'number') return (index % 65_535) + 1
  if (type.kind !== 'struct' || typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => {
    const field = type.fields.get(key)
    return [key, field?.type.kind === 'string' || typeof member === 'number' ? numbered(member, type, index) : member]
  })
  return Object.fromEntries(members)
}

const listShapes: readonly Shape[] = [
  { name: 'empty', make: ({ kind }, _field, size) => listOf(size, () => (kind === 'list' ? {} : '')) },
  {
    name: 'equal',
    make: (type, field, size) => listOf(size, () => (type.kind === 'list' ? good(type.element, field) : 'a')),
  },
  {
    name: 'different',
    make: (type, field, size) => {
      if (type.kind !== 'list') return []
      const { element } = type
      const one = good(element, field)
      return listOf(size, (index) => numbered(one, element, index))
    },
  },
]

const mapShapes: readonly Shape[] = [
  {
    name: 'keys',
    make: (type, field, size) => {
      if (type.kind !== 'map') return {}
      const value = good(type.value, field)
      const count = Math.max(1, Math.floor(size / (sizeOf(value) + '"a00000":'.length)))
      return Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, value]))
    },
  },
  ...['letters', 'slashes', 'labels', 'dashes'].map(
    (name): Shape => ({
      name: `key of ${name}`,
      make: (type, field, size) => (type.kind === 'map' ? { [texts[name]?.(size) ?? '']: good(type.value, field) } : {}),
    }),
  ),
]

/** Returns the ways to fill a field of this type; none for booleans and numbers, which cannot be long. */
export function shapesOf(type: Type): readonly Shape[] {
  switch (type.kind) {
    case 'string':
    case 'bytes':
    case 'quantity':
    case 'intOrString':
    case 'time':
    case 'microTime':
    case 'duration':
      return textShapes
    case 'list':
      return type.element.kind === 'struct' ? listShapes : listShapes.slice(1)
    case 'map':
      return mapShapes
    default:
      return []
  }
}
