/** The identity of list elements in a strategic merge: scalars by value, objects by their merge key. */

import { isRawNumber } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonValue } from '../go/json-value.ts'
import { badRequest } from '../meta/errors.ts'
import { noMergeKey, unexpectedType, unhandledError } from './strategic-merge-metadata.ts'

/** A value for comparison as in Go: scalars are equal by content, objects and lists only to themselves. */
export type Identity = string | number | bigint | boolean | object | null

/** Returns the identity of a value, as a key for a Map or Set. */
export function identityOf(value: JsonValue): Identity {
  if (!isRawNumber(value)) return value
  return /^-?\d+$/.test(value.rawJSON) ? BigInt(value.rawJSON) : Number(value.rawJSON)
}

/**
 * Returns the values as a set.
 * @throws ApiError 400 with `message` if a value is an object or a list, for which kube-apiserver panics
 */
export function setOf(values: readonly JsonValue[], message: string): Set<Identity> {
  if (values.some((value) => Array.isArray(value) || isObject(value))) throw badRequest(message)
  return new Set(values.map(identityOf))
}

/**
 * Returns the element's value of the merge key.
 * @throws ApiError 500 if the element is not an object or does not have the key
 */
export function mergeKeyOf(element: JsonValue, mergeKey: string): JsonValue {
  if (!isObject(element)) throw unexpectedType('map[string]interface {}', element)
  if (!Object.hasOwn(element, mergeKey)) throw noMergeKey(element, mergeKey)
  return element[mergeKey] ?? null
}

/** Finds elements of a list by their merge key; the first one if several have the same key. */
export class KeyIndex {
  private readonly positions = new Map<Identity, number>()
  /** The position of the first element that is not an object, or -1: a search that reaches it fails. */
  private readonly obstacle: number

  constructor(list: readonly JsonValue[], mergeKey: string) {
    this.obstacle = list.findIndex((element) => !isObject(element))
    for (const [position, element] of list.entries()) {
      if (isObject(element) && Object.hasOwn(element, mergeKey)) this.add(element[mergeKey] ?? null, position)
    }
  }

  /** Adds an object that was appended to the list. */
  add(key: JsonValue, position: number): void {
    const identity = identityOf(key)
    if (!this.positions.has(identity)) this.positions.set(identity, position)
  }

  /** Returns the position of the element with this merge key; undefined if the list has no such element. */
  find(key: JsonValue): number | undefined {
    const position = this.positions.get(identityOf(key))
    if (this.obstacle >= 0 && (position === undefined || position > this.obstacle)) {
      throw unhandledError(`value for key ${this.obstacle} is not a map`)
    }
    return position
  }
}
