/** Breaks one place in the value of a body, and encodes values in all media types. */

import { renderProtobuf } from '../../src/encoding/protobuf.ts'
import type { JsonObject, JsonValue } from '../../src/go/json-value.ts'
import { renderYaml } from '../../src/yaml/write.ts'
import type { Choice, Weighted } from './choice.ts'
import * as dictionary from './dictionary.ts'

/** A place in a value: the container, and the key or index. */
interface Place {
  readonly holder: JsonObject | JsonValue[]
  readonly key: string | number
}

function placesOf(value: JsonValue, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return found
  if (Array.isArray(value)) {
    value.forEach((item, key) => {
      found.push({ holder: value, key })
      placesOf(item, found)
    })
    return found
  }
  for (const [key, item] of Object.entries(value)) {
    found.push({ holder: value as JsonObject, key })
    placesOf(item, found)
  }
  return found
}

/** Marks a text in a value that JSON.stringify would not write. */
const mark = '\u0007'
const marked = /"\\u0007(\d+)"/g

const itemAt = ({ holder, key }: Place): JsonValue | undefined => (holder as JsonObject)[key]

function setAt({ holder, key }: Place, value: JsonValue): void {
  // Defines the property as JSON.parse does, so that it works for __proto__.
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

function removeAt({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

const hostileValue = (choice: Choice): JsonValue => {
  const text = choice.weighted(dictionary.values)
  return `${mark}${dictionary.values.findIndex(([, item]) => item === text)}`
}

type Breaker = (choice: Choice, place: Place, places: readonly Place[]) => void

const breakers: Weighted<Breaker> = [
  [10, (choice, place) => setAt(place, hostileValue(choice))],
  [3, (_, place) => removeAt(place)],
  [
    3,
    (choice, { holder }) => {
      if (Array.isArray(holder)) holder.push(hostileValue(choice))
      else setAt({ holder, key: choice.one(dictionary.keys) }, hostileValue(choice))
    },
  ],
  [3, (choice, place, places) => setAt(place, structuredClone(itemAt(choice.one(places)) ?? null))],
  [
    2,
    (choice, place) => {
      const item = itemAt(place) ?? null
      removeAt(place)
      if (Array.isArray(place.holder)) place.holder.unshift(item)
      else setAt({ holder: place.holder, key: choice.one(dictionary.keys) }, item)
    },
  ],
  [2, (_, place) => setAt(place, [structuredClone(itemAt(place) ?? null), structuredClone(itemAt(place) ?? null)])],
  [1, (_, place) => setAt(place, { a: itemAt(place) ?? null })],
  [
    2,
    (choice, place) => {
      const item = itemAt(place)
      if (typeof item === 'string') setAt(place, brokenText(choice, item))
      else if (typeof item === 'number') setAt(place, String(item))
      else setAt(place, hostileValue(choice))
    },
  ],
]

function brokenText(choice: Choice, text: string): string {
  const at = choice.below(text.length + 1)
  const inserted = choice.one([
    '\u0000',
    '/',
    '.',
    '..',
    '%',
    '"',
    "'",
    '\\',
    '\n',
    '\u00e4',
    '\ud83d',
    '{',
    '}',
    '(',
    ')',
    ',',
    '=',
    '-',
    'A',
    ' ',
    '*',
  ])
  return choice.happens(0.5) ? text.slice(0, at) + inserted + text.slice(at) : text.slice(0, at)
}

/** Breaks one place in a value, which is changed in place. */
export function breakValue(choice: Choice, value: JsonValue): void {
  const places = placesOf(value)
  if (places.length > 0) choice.weighted(breakers)(choice, choice.one(places), places)
}

/** Encodes the value as JSON, with the marked texts replaced. */
export const jsonOf = (value: JsonValue): string =>
  JSON.stringify(value).replace(marked, (_, index: string) => dictionary.values[Number(index)]?.[1] ?? 'null')

const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function pathsOf(
  value: JsonValue,
  path: readonly (string | number)[] = [],
  found: (string | number)[][] = [],
): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return found
  for (const [key, item] of Object.entries(value)) {
    const there = [...path, Array.isArray(value) ? Number(key) : key]
    found.push(there)
    pathsOf(item, there, found)
  }
  return found
}

/** Makes JSON Patch operations for an object like this one. */
export function jsonPatchOf(choice: Choice, value: JsonValue): JsonValue {
  const paths = pathsOf(value)
  const path = (): string =>
    choice.happens(0.1) || paths.length === 0
      ? choice.one(['', '/', '/-', '/a~2', 'x', '/metadata/labels/-1'])
      : pointerOf(choice.one(paths))
  return Array.from({ length: 1 + choice.below(4) }, () => ({
    op: choice.one(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x', '']),
    path: path(),
    ...(choice.happens(0.5) && { from: path() }),
    ...(choice.happens(0.8) && { value: hostileValue(choice) }),
  }))
}

function protobufOf(value: JsonValue): Buffer | undefined {
  try {
    const bytes = Buffer.from(renderProtobuf(value))
    // An object in place of a string would be encoded as JavaScript's '[object Object]'.
    return bytes.includes('[object') ? undefined : bytes
  } catch {
    // A value that cannot be encoded in protobuf is sent in another media type.
    return undefined
  }
}

/** An encoded body with its media type. */
export interface Formed {
  readonly type: string
  readonly bytes: Buffer
}

type Form = (choice: Choice, value: JsonValue) => Formed | undefined

const formed = (type: string, content: string | Buffer | undefined): Formed | undefined =>
  content === undefined ? undefined : { type, bytes: Buffer.from(content as string) }

/** The encodings of objects. */
export const objectForms: Weighted<Form> = [
  [6, (_, value) => formed('application/json', jsonOf(value))],
  [3, (_, value) => formed('application/yaml', jsonOf(value))],
  [4, (_, value) => formed('application/yaml', renderYaml(value))],
  [6, (_, value) => formed('application/vnd.kubernetes.protobuf', protobufOf(value))],
  [1, (_, value) => formed('application/cbor', Buffer.concat([Buffer.from('d9d9f7a1', 'hex'), Buffer.from(jsonOf(value))]))],
  [0.5, (_, value) => formed('text/plain', jsonOf(value))],
]

/** The encodings of patches. */
export const patchForms: Weighted<Form> = [
  [4, (_, value) => formed('application/merge-patch+json', jsonOf(value))],
  [4, (_, value) => formed('application/strategic-merge-patch+json', jsonOf(value))],
  [4, (choice, value) => formed('application/json-patch+json', jsonOf(jsonPatchOf(choice, value)))],
  [3, (_, value) => formed('application/apply-patch+yaml', jsonOf(value))],
  [2, (_, value) => formed('application/apply-patch+yaml', renderYaml(value))],
  [0.5, (_, value) => formed('application/apply-patch+cbor', jsonOf(value))],
]

const truncated: (choice: Choice, bytes: Buffer) => Buffer = (choice, bytes) => bytes.subarray(0, choice.below(bytes.length + 1))

const byteBreakers: Weighted<(choice: Choice, bytes: Buffer) => Buffer> = [
  [4, truncated],
  [
    8,
    (choice, bytes) => {
      const changed = Buffer.from(bytes)
      for (let left = 1 + choice.below(4); left > 0 && changed.length > 0; left--)
        changed[choice.below(changed.length)] = choice.below(256)
      return changed
    },
  ],
  [
    4,
    (choice, bytes) => {
      const at = choice.below(bytes.length + 1)
      const inserted = choice.one([
        '\u0000',
        '\ufeff',
        '{',
        '}',
        '[',
        ']',
        '"',
        ',',
        ':',
        '\n',
        '- ',
        '&a ',
        '*a',
        '!!binary ',
        '<<: ',
        '---\n',
        '...\n',
        '# ',
        '? ',
        '| ',
        '\t',
        '%YAML 1.1\n',
        '\\u',
        '\ud800',
      ])
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(inserted), bytes.subarray(at)])
    },
  ],
  [2, (_, bytes) => Buffer.concat([bytes, bytes])],
  [
    2,
    (choice, bytes) => {
      const from = choice.below(bytes.length + 1)
      const to = from + choice.below(Math.min(64, bytes.length - from) + 1)
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
    },
  ],
  [1, () => Buffer.alloc(0)],
  [
    1,
    (choice) =>
      Buffer.from(
        choice.one([
          'null',
          '[]',
          '{}',
          '""',
          '1',
          'k8s\u0000',
          ' ',
          '\ufeff{}',
          'a: &a [*a]',
          `[${'a,'.repeat(1000)}`,
          '{"a":'.repeat(20_000),
          '- '.repeat(5000),
        ]),
      ),
  ],
  [0.2, (choice, bytes) => Buffer.concat([bytes, Buffer.alloc(choice.one([1_000_000, 3_200_000, 4_000_000]), ' ')])],
]

/** Breaks the bytes of a body in one place. */
export const breakBytes = (choice: Choice, bytes: Buffer): Buffer => choice.weighted(byteBreakers)(choice, bytes)
