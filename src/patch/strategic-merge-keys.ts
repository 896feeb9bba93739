/** How strategic merge tells elements of lists apart: scalars by their value, objects by their merge key. */

import { isRawNumber } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonValue } from '../go/json-value.ts'
import { badRequest } from '../meta/errors.ts'
import { failed, noMergeKey, unexpectedType } from './strategic-merge-metadata.ts'

/** What makes two values equal in Go: their content for scalars. Objects and lists are equal to themselves only. */
export type Identity = string | number | bigint | boolean | object | null

/** The identity of a value, to be a key of a Map or Set. */
export function identityOf(value: JsonValue): Identity {
  if (!isRawNumber(value)) return value
  return /^-?\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : Number(value.rawJSON)
}

/**
 * The values as a set.
 * @throws ApiError 400 with `message` for objects and lists, of which kube-apiserver crashes
 */
export function setOf(values: readonly JsonValue[], message: string): Set<Identity> {
  if (values.some((value) => Array.isArray(value) || isObject(value))) throw badRequest(message)
  return new Set(values.map(identityOf))
}

/**
 * The element's value of the merge key.
 * @throws ApiError 500 where the element is no object, or has none
 */
export function mergeKeyOf(element: JsonValue, mergeKey: string): JsonValue {
  if (!isObject(element)) throw unexpectedType('map[string]interface {}', element)
  if (!Object.hasOwn(element, mergeKey)) throw noMergeKey(element, mergeKey)
  return element[mergeKey] ?? null
}

/** Finds the elements of a list by their merge key; of several that have the same it finds the first. */
export class KeyIndex {
  private readonly positions = new Map<Identity, number>()
  /** Where the first element stands that is no object: a search that comes so far fails. */
  private readonly obstacle: number

  constructor(list: readonly JsonValue[], mergeKey: string) {
    this.obstacle = list.findIndex((element) => !isObject(element))
    for (const [position, element] of list.entries()) {
      if (isObject(element) && Object.hasOwn(element, mergeKey)) this.add(element[mergeKey] ?? null, position)
    }
  }

  /** Notes an object that was put into the list. */
  add(key: JsonValue, position: number): void {
    const identity = identityOf(key)
    if (!this.positions.has(identity)) this.positions.set(identity, position)
  }

  /** Where the element with this merge key stands; undefined where there is none. */
  find(key: JsonValue): number | undefined {
    const position = this.positions.get(identityOf(key))
    if (this.obstacle >= 0 && (position === undefined || position > this.obstacle)) {
      throw failed(`value for key ${this.obstacle} is not a map`)
    }
    return position
  }
}
