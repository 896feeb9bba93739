/** Evaluates CEL rules (`x-kubernetes-validations`) for objects. */

import type { JsonObject } from '../go/json-value.ts'
import { type FieldError, type FieldErrorReason, invalidValue } from '../meta/field-error.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'
import { areTooLong } from '../meta/object-meta-validation.ts'
import type { CompiledVersion } from './compiled-version.ts'
import { evaluateRules } from './rules/evaluate.ts'
import { Correlation } from './schema/correlation.ts'

/** Rules are not evaluated after these errors, because the values might not be readable. */
const blocking: ReadonlySet<FieldErrorReason> = new Set<FieldErrorReason>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

const unchecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/** Whether the validation of metadata finds errors after which rules are not evaluated. */
function hasBlockingMetadata(object: JsonObject): boolean {
  const { name = '', annotations = {} } = object.metadata as unknown as ObjectMeta
  return name === '' || areTooLong(annotations)
}

/**
 * Returns the errors of a version's rules.
 * @param before the errors of the schema validation
 * @param warn receives failures that are ignored because the value has not changed
 */
export function ruleErrors(
  read: CompiledVersion,
  object: JsonObject,
  old: JsonObject | undefined,
  before: readonly FieldError[],
  warn: (text: string) => void,
): FieldError[] {
  const { rules, node } = read
  if (rules === undefined || node === undefined) return []
  if (before.some(({ reason }) => blocking.has(reason)) || hasBlockingMetadata(object))
    return [invalidValue('<nil>', null, unchecked)]
  const correlation = old === undefined ? undefined : new Correlation(object, old, node)
  const { errors, warnings } = evaluateRules(rules, object, old, '', correlation)
  for (const text of warnings) warn(text)
  return errors
}
