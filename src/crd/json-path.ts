/** JSON paths of printer columns and selectable fields. */

import { JsonPathError, parsePath } from '../meta/json-path.ts'
import { type JsonPath, pathOf } from './json-path-find.ts'

/** Parses a path; undefined if it is invalid. */
export function jsonPathOf(text: string): JsonPath | undefined {
  try {
    return pathOf(parsePath(text))
  } catch (error) {
    if (error instanceof JsonPathError) return undefined
    throw error
  }
}
