/** Validates a custom resource except its metadata. Follows the strategies of apiextensions-apiserver. */

import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { nestedInteger, nestedText, nestedValue } from '../go/nested-fields.ts'
import { addErrors, type FieldError, invalidValue } from '../meta/field-error.ts'
import type { CompiledVersion } from './compiled-version.ts'
import { ruleErrors } from './rules.ts'
import { Correlation } from './schema/correlation.ts'
import { embeddedErrors } from './schema/embedded.ts'
import { listTypeErrors } from './schema/list-types.ts'
import { type Validator, validateAt } from './schema/validate.ts'
import { fieldErrorOf } from './schema/violation.ts'

const largestReplicas = 2 ** 31 - 1

function replicasErrors(object: JsonObject, path: readonly string[]): FieldError[] {
  const field = `.${path.join('.')}`
  const found = nestedInteger(object, path)
  if ('error' in found) return [invalidValue(field, 0, found.error)]
  const { value = 0 } = found
  if (value >= 0 && value <= largestReplicas) return []
  const text = value < 0 ? 'should be a non-negative integer' : `should be less than or equal to ${largestReplicas}`
  const exact = nestedValue(object, path)
  return [invalidValue(field, 'error' in exact ? value : exact.value, text)]
}

function selectorErrors(object: JsonObject, path: readonly string[] | undefined): FieldError[] {
  if (path === undefined) return []
  const found = nestedText(object, path)
  return 'error' in found ? [invalidValue(`.${path.join('.')}`, '', found.error)] : []
}

function scaleStatusErrors({ scale }: CompiledVersion, object: JsonObject): FieldError[] {
  if (scale === undefined) return []
  return [...replicasErrors(object, scale.statusReplicas), ...selectorErrors(object, scale.labelSelector)]
}

function schemaErrors(
  validator: Validator | undefined,
  value: JsonValue,
  base: string,
  correlation: Correlation | undefined,
): FieldError[] {
  if (validator === undefined) return []
  const result = validateAt(validator, value, '', correlation)
  return result.isValid ? [] : result.violations.map((violation) => fieldErrorOf(violation, base))
}

/** Validates a new object (`old` undefined), or an update. */
export function objectErrors(
  read: CompiledVersion,
  object: JsonObject,
  old: JsonObject | undefined,
  warn: (text: string) => void,
): FieldError[] {
  const { node, validator, scale } = read
  const correlation = old === undefined || node === undefined ? undefined : new Correlation(object, old, node)
  const errors = schemaErrors(validator, object, '', correlation)
  if (scale !== undefined) addErrors(errors, [...replicasErrors(object, scale.specReplicas), ...scaleStatusErrors(read, object)])
  addErrors(errors, embeddedErrors(object, node, ''))
  if (node?.hasListTypes === true) {
    const wasValid = old === undefined || listTypeErrors(old, node).length === 0
    if (wasValid) addErrors(errors, listTypeErrors(object, node))
  }
  return [...errors, ...ruleErrors(read, object, old, errors, warn)]
}

/** Validates an update of the status: only the schema of the status applies. */
export function statusErrors(
  read: CompiledVersion,
  object: JsonObject,
  old: JsonObject,
  warn: (text: string) => void,
): FieldError[] {
  const { node, statusValidator } = read
  const errors: FieldError[] = []
  if (object.status !== undefined) {
    const status = node?.properties.get('status')
    const correlation = status === undefined ? undefined : new Correlation(object.status, old.status ?? null, status)
    addErrors(errors, schemaErrors(statusValidator, object.status, 'status', correlation))
  }
  addErrors(errors, scaleStatusErrors(read, object))
  const repeated = listTypeErrors(object, node)
  if (repeated.length > 0 && listTypeErrors(old, node).length === 0) addErrors(errors, repeated)
  return [...errors, ...ruleErrors(read, object, old, errors, warn)]
}
