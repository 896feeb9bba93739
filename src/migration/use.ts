/** Makes uses, and the patches that mend them. */

import { releaseText } from '../catalog/lifecycle.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { apiVersionText, type Removal } from './removals.ts'
import type { Mend, PatchOperation, Use } from './report.ts'

/** Joins keys to a JSON pointer. */
export const pointer = (...keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Returns a member that is an object; undefined otherwise. */
export function memberObject(object: JsonObject, name: string): JsonObject | undefined {
  const value = Object.hasOwn(object, name) ? object[name] : undefined
  return isObject(value) ? value : undefined
}

/** Returns a member that is a list; an empty list otherwise. */
export function memberList(object: JsonObject | undefined, name: string): readonly JsonValue[] {
  const value = object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined
  return Array.isArray(value) ? value : []
}

/** Returns a member that is a text; '' otherwise. */
export function memberText(object: JsonObject | undefined, name: string): string {
  const value = object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined
  return typeof value === 'string' ? value : ''
}

/** Returns the texts of a list. */
export const memberTexts = (object: JsonObject, name: string): readonly string[] =>
  memberList(object, name).filter((value) => typeof value === 'string')

/** Makes a mend of one JSON patch. */
export const patched = (...patch: readonly PatchOperation[]): Mend => ({ type: 'json-patch', patch })

/** Makes a mend that is left to a person. */
export const advised = (advice: string): Mend => ({ type: 'advice', advice })

/** Returns the advice for a kind that is gone. */
export const goneAdvice = (removal: Removal): string =>
  `${apiVersionText(removal)} ${removal.kind} has no replacement: delete it, and what refers to it`

/** Makes a use of a removed version. */
export function useOf(removal: Removal, by: Use['by'], path: string, mend: Mend, manager?: Use['manager']): Use {
  const { replacement, kind } = removal
  return {
    by,
    path,
    apiVersion: apiVersionText(removal),
    kind,
    removedIn: releaseText(removal.removedIn),
    ...(replacement !== undefined && {
      replacement: { apiVersion: apiVersionText(replacement), kind: replacement.kind, resource: replacement.resource },
    }),
    ...(manager !== undefined && { manager }),
    mend,
  }
}

/** Returns at most so many values, and asks for no others. */
export function firstOf<T>(values: Iterable<T>, count: number): T[] {
  const found: T[] = []
  for (const value of values) if (found.push(value) >= count) break
  return found
}
