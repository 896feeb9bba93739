/** JSON Pointers (RFC 6901), resolved as evanphx/json-patch v4 does. */
import { isObject } from '../go/json-object.ts'
import type { JsonValue } from '../go/json-value.ts'
import type { Container, JsonDocument } from './json-document.ts'
import { isContainer, setMember } from './json-document.ts'

/** The target of a pointer: a container of the document, which may be changed, and a key in it. */
export interface PointerTarget {
  readonly container: Container
  readonly key: string
}

const unescaped = (token: string): string => token.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~'))

/** Parses an index as strconv.Atoi does; a negative one counts from the end. Undefined if it is not in the range 0 to `last`. */
export function indexOf(key: string, last: number): number | undefined {
  if (!/^[+-]?\d+$/.test(key)) return undefined
  const number = Number(key)
  const index = number < 0 ? number + last + 1 : number
  return index >= 0 && index <= last ? index : undefined
}

/** Returns the value at a place: undefined for an invalid index, null for a key that the object does not have. */
export function memberAt({ container, key }: PointerTarget): JsonValue | undefined {
  if (isObject(container)) return Object.hasOwn(container, key) ? container[key] : null
  const index = indexOf(key, container.length - 1)
  return index === undefined ? undefined : container[index]
}

/**
 * Resolves a pointer; undefined if a container on the way is missing. Copies the containers on the way into the document. Ignores
 * the text before the first slash.
 */
export function find(document: JsonDocument, pointer: string): PointerTarget | undefined {
  const tokens = pointer.split('/')
  const last = tokens.pop()
  if (tokens.length === 0 || last === undefined) return undefined
  let container = document.root
  for (const token of tokens.slice(1)) {
    const key = unescaped(token)
    const next = memberAt({ container, key })
    if (!isContainer(next)) return undefined
    const own = document.own(next)
    if (own !== next) replaceAt({ container, key }, own)
    container = own
  }
  return { container, key: unescaped(last) }
}

/** Sets the member of an object, or an existing element. @returns false if the element does not exist */
export function replaceAt({ container, key }: PointerTarget, value: JsonValue): boolean {
  if (isObject(container)) {
    setMember(container, key, value)
    return true
  }
  const index = indexOf(key, container.length - 1)
  if (index === undefined) return false
  container[index] = value
  return true
}

/** Sets the member of an object, or inserts an element; `-` appends. @returns false if the index is invalid */
export function addAt({ container, key }: PointerTarget, value: JsonValue): boolean {
  if (isObject(container)) {
    setMember(container, key, value)
    return true
  }
  const index = key === '-' ? container.length : indexOf(key, container.length)
  if (index === undefined) return false
  container.splice(index, 0, value)
  return true
}

/** Removes a member or an element. @returns false if it does not exist */
export function removeAt({ container, key }: PointerTarget): boolean {
  if (isObject(container)) return Object.hasOwn(container, key) && delete container[key]
  const index = indexOf(key, container.length - 1)
  if (index === undefined) return false
  container.splice(index, 1)
  return true
}
