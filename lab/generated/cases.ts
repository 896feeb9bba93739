/** Makes the cases for two servers: one valid object, with each field of its schema broken in turn. */
import type { JsonObject, JsonValue } from '../../src/go/json-value.ts'
import type { Type } from '../../src/schema/type.ts'
import { fillings, texts } from './samples.ts'

/** One object, with a description of the change. */
export interface Case {
  readonly path: string
  readonly what: string
  readonly object: JsonObject
}

/** The steps from an object to a value in it. */
export type Path = readonly (string | number)[]

const long = 'a'.repeat(300)

/** The values to try in a field, by type: some valid, most invalid. */
const values: Readonly<Record<string, readonly JsonValue[]>> = {
  string: ['', 'ok-name', 'Bad Name!', '/abs/../path', '-x', 'a.b', '1.2.3.4', long, 7, { x: 1 }],
  boolean: [true, false, 'yes', 1],
  int32: [-1, 0, 1, 65536, 2147483648, 1.5, '1'],
  int64: [-1, 0, 1, 4294967296, 1e30, '1'],
  quantity: ['-1', '0.1', '1500m', '1Gi', 'x', 2, true],
  intOrString: [-1, 0, 1, 70000, '', 'http', '150%', 'x y', true],
  time: ['2026-01-02T03:04:05Z', 'x', 1],
  microTime: ['2026-01-02T03:04:05.000000Z', 'x'],
  duration: ['1s', 'x', 1],
  bytes: ['aGk=', '!!', 1],
  fieldsV1: [{}, 'x'],
  rawExtension: [{}, 'x'],
  any: [{}, 'x'],
  struct: [{}, [], 'x'],
  list: [[], {}, [null], 'x'],
  map: [{}, [], 'x'],
}

const fallback: readonly JsonValue[] = [-1, 0, 1, 'x']

const listOf = (element: JsonValue): readonly JsonValue[] => [[element], [element, element]]

/** Returns entries for a map with values of this type. */
function mapsOf(value: Type): readonly JsonValue[] {
  if (value.kind === 'quantity') return [{ cpu: '1' }, { cpu: '-1' }, { memory: '0.5' }, { 'bad key': '1' }, { unknown: '1' }]
  if (value.kind === 'bytes') return [{ key: 'aGk=' }, { 'bad key': 'aGk=' }]
  if (value.kind === 'string') return [{ key: 'v' }, { 'bad key': 'v' }, { key: 'bad value!' }, { '': '' }, { key: 1 }]
  return [{ key: good(value, '') }]
}

/** Makes a valid value of the type, as far as the fillings know. */
export function good(type: Type, name: string): JsonValue {
  if (Object.hasOwn(texts, name)) return texts[name] ?? null
  switch (type.kind) {
    case 'struct':
      return structuredClone(fillings[type.go] ?? {})
    case 'list':
      return [good(type.element, name)]
    case 'map':
      return { key: good(type.value, name) }
    case 'boolean':
      return true
    case 'string':
      return 'ok-name'
    default:
      return (values[type.kind] ?? fallback)[2] ?? 1
  }
}

function valuesFor(type: Type, name: string): readonly JsonValue[] {
  const plain = values[type.kind] ?? fallback
  const own = type.kind === 'list' ? listOf(good(type.element, name)) : type.kind === 'map' ? mapsOf(type.value) : []
  const filled = type.kind === 'struct' ? [good(type, name)] : []
  return [null, ...plain, ...own, ...filled]
}

/** Returns the object with a value at a path; missing parents are filled. */
export function withValue(object: JsonObject, path: Path, types: readonly Type[], value: JsonValue): JsonObject {
  const copy = structuredClone(object)
  let at: Record<string | number, JsonValue> = copy as Record<string, JsonValue>
  for (const [index, step] of path.entries()) {
    if (index === path.length - 1) at[step] = value
    else {
      const type = types[index]
      const filled = type === undefined ? {} : type.kind === 'list' ? [] : good(type, '')
      if (typeof at[step] !== 'object' || at[step] === null) at[step] = filled
      at = at[step] as Record<string | number, JsonValue>
    }
  }
  return copy
}

/** Returns a path as text: `.spec.ports[0]`. */
export const pathText = (path: Path): string => path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')

/** Paths that are not varied: they are the same for all kinds, or set by the server. */
const skipped: ReadonlySet<string> = new Set(['.metadata.managedFields', '.apiVersion', '.kind'])

/** A change of one field. */
export interface Edit {
  readonly path: Path
  readonly types: readonly Type[]
  readonly value: JsonValue
}

/** A field of a type, or the first element of a list or map in it. */
export interface FieldPlace {
  readonly path: Path
  /** The types of the steps of the path, the field's own last. */
  readonly types: readonly Type[]
  readonly type: Type
  /** The name of the field, or of the list or map that contains the element. */
  readonly name: string
  /** The Go type that has the field; for an element, that of its list or map. */
  readonly owner: string
}

/** Yields every field of a type. Recursive types are visited once. */
export function* fieldsOf(type: Type): Generator<FieldPlace> {
  function* visit({ path, types, type: at, name, owner }: FieldPlace): Generator<FieldPlace> {
    if (skipped.has(pathText(path)) || types.filter((above) => above === at).length > 1) return
    if (path.length > 0) yield { path, types, type: at, name, owner }
    const below = (step: string | number, next: Type, nextName: string): FieldPlace => ({
      path: [...path, step],
      types: [...types, next],
      type: next,
      name: nextName,
      owner: at.go,
    })
    if (at.kind === 'struct') for (const field of at.fields.values()) yield* visit(below(field.name, field.type, field.name))
    else if (at.kind === 'list') yield* visit(below(0, at.element, name))
    else if (at.kind === 'map' && at.value.kind === 'struct') yield* visit(below('key', at.value, name))
  }
  yield* visit({ path: [], types: [], type, name: '', owner: '' })
}

/** Returns every field of a type with every value to try. */
export const editsOf = (type: Type): Edit[] =>
  [...fieldsOf(type)]
    .filter(({ name }) => name !== 'metadata')
    .flatMap(({ path, types, type: at, name }) => valuesFor(at, name).map((value) => ({ path, types, value })))

function shownValue(value: JsonValue): string {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/** Returns all cases of a kind. `base` is a valid object, `type` its schema. */
export function casesOf(type: Type, base: JsonObject): Case[] {
  const broken = editsOf(type).map(({ path, types, value }) => ({
    path: pathText(path),
    what: shownValue(value),
    // Objects are made on access: most kinds have tens of thousands of cases.
    get object() {
      return withValue(base, path, types, value)
    },
  }))
  return [{ path: '', what: 'good', object: base }, ...broken]
}

const editsAtOnce = 4

/** Makes `count` cases with two to four changed fields each, within the path prefix `within`. */
export function mixedCasesOf(type: Type, base: JsonObject, within: string, count: number, random: () => number): Case[] {
  const edits = editsOf(type).filter(({ path }) => pathText(path).startsWith(within))
  const drawn = (): Edit[] => Array.from({ length: 2 + Math.floor(random() * (editsAtOnce - 1)) }, () => pick(edits, random))
  return Array.from({ length: count }, () => {
    const chosen = drawn()
    return {
      path: chosen.map(({ path }) => pathText(path)).join(' '),
      what: chosen.map(({ value }) => shownValue(value)).join(' '),
      object: chosen.reduce((object, { path, types, value }) => withValue(object, path, types, value), base),
    }
  })
}

function pick(edits: readonly Edit[], random: () => number): Edit {
  const edit = edits[Math.floor(random() * edits.length)]
  if (edit === undefined) throw new Error('there is nothing to change')
  return edit
}
