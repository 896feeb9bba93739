/** Rules in CEL (`x-kubernetes-validations`): where they are asked of objects. */
import type { FieldError } from '../meta/field-error.ts'
import type { JsonObject } from '../meta/json-value.ts'
import type { ReadVersion } from './read-version.ts'

/** What breaks the rules of a version. `before` are the errors that have been found: rules are not asked of what has the wrong type. */
export function ruleErrors(
  _read: ReadVersion,
  _object: JsonObject,
  _old: JsonObject | undefined,
  _before: readonly FieldError[],
): FieldError[] {
  return []
}
