/** JSON Pointers (RFC 6901) into a document, as evanphx/json-patch v4 resolves them. */
import { isObject } from '../go/json-object.ts'
import type { JsonValue } from '../go/json-value.ts'
import type { Container, JsonDocument } from './json-document.ts'
import { isContainer, setMember } from './json-document.ts'

/** The place that a pointer names: a container of the document, which may be changed, and a key in it. */
export interface Place {
  readonly container: Container
  readonly key: string
}

const unescaped = (token: string): string => token.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~'))

/** An index as strconv.Atoi reads it; from the end where it is negative. Undefined outside of 0 to `last`. */
export function indexOf(key: string, last: number): number | undefined {
  if (!/^[+-]?\d+$/.test(key)) return undefined
  const number = Number(key)
  const index = number < 0 ? number + last + 1 : number
  return index >= 0 && index <= last ? index : undefined
}

/** What the container holds there: undefined where an index is wrong, null also for a key that an object lacks. */
export function memberAt({ container, key }: Place): JsonValue | undefined {
  if (isObject(container)) return Object.hasOwn(container, key) ? container[key] : null
  const index = indexOf(key, container.length - 1)
  return index === undefined ? undefined : container[index]
}

/**
 * The place that the pointer names; undefined where a container on the way is missing. The containers on the way become
 * the document's own. What stands before the first slash is of no account.
 */
export function find(document: JsonDocument, pointer: string): Place | undefined {
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

/** Sets the member of an object, or an element that is there. False where it is not. */
export function replaceAt({ container, key }: Place, value: JsonValue): boolean {
  if (isObject(container)) {
    setMember(container, key, value)
    return true
  }
  const index = indexOf(key, container.length - 1)
  if (index === undefined) return false
  container[index] = value
  return true
}

/** Sets the member of an object, or inserts an element; `-` is behind the last. False where there is no such index. */
export function addAt({ container, key }: Place, value: JsonValue): boolean {
  if (isObject(container)) {
    setMember(container, key, value)
    return true
  }
  const index = key === '-' ? container.length : indexOf(key, container.length)
  if (index === undefined) return false
  container.splice(index, 0, value)
  return true
}

/** Removes a member or an element. False where it is not there. */
export function removeAt({ container, key }: Place): boolean {
  if (isObject(container)) return Object.hasOwn(container, key) && delete container[key]
  const index = indexOf(key, container.length - 1)
  if (index === undefined) return false
  container.splice(index, 1)
  return true
}
