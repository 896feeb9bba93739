/** Paths to values in objects, as printer columns and selectable fields give them. */

import { JsonPathError, parsePath } from '../meta/json-path.ts'
import { type JsonPath, pathOf } from './json-path-find.ts'

/** The path that a text is; undefined for one that is none. */
export function jsonPathOf(text: string): JsonPath | undefined {
  try {
    return pathOf(parsePath(text))
  } catch (error) {
    if (error instanceof JsonPathError) return undefined
    throw error
  }
}
