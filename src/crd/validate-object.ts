/** Validates a custom resource except its metadata. Follows the strategies of apiextensions-apiserver. */

import { isRawNumber, isWholeDouble } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { goTypeOf } from '../go/print.ts'
import { type FieldError, invalidValue } from '../meta/field-error.ts'
import type { CompiledVersion } from './compiled-version.ts'
import { ruleErrors } from './rules.ts'
import { Correlation } from './schema/correlation.ts'
import { embeddedErrors } from './schema/embedded.ts'
import { listTypeErrors } from './schema/list-types.ts'
import { type Validator, validateAt } from './schema/validate.ts'
import { fieldErrorOf } from './schema/violation.ts'

const largestReplicas = 2 ** 31 - 1

/** The value at a path, or the error of a step that is not an object. */
export type Nested = { readonly value: JsonValue | undefined } | { readonly error: string }

/** Returns the value at a path of fields. */
export function nested(object: JsonObject, path: readonly string[]): Nested {
  let at: JsonValue | undefined = object
  for (const [i, field] of path.entries()) {
    if (at === undefined) return { value: undefined }
    if (!isObject(at)) {
      const walked = `.${path.slice(0, i + 1).join('.')}`
      const what = at === null ? '<nil> is of the type <nil>' : `${textOf(at)} is of the type ${goTypeOf(at)}`
      return { error: `${walked} accessor error: ${what}, expected map[string]interface{}` }
    }
    at = Object.hasOwn(at, field) ? at[field] : undefined
  }
  return { value: at }
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Returns the integer at a path, 0 if it is absent, or the error if it is not an integer. */
export function nestedInteger(
  object: JsonObject,
  path: readonly string[],
): { readonly value: number } | { readonly error: string } {
  const found = nested(object, path)
  if ('error' in found) return found
  const { value } = found
  if (value === undefined) return { value: 0 }
  if (typeof value === 'number' && Number.isInteger(value)) return { value }
  if (isRawNumber(value) && !isWholeDouble(value)) return { value: Number(value.rawJSON) }
  const type = value === null ? '<nil>' : goTypeOf(value)
  const text = value === null ? '<nil>' : textOf(value)
  return { error: `.${path.join('.')} accessor error: ${text} is of the type ${type}, expected int64` }
}

function replicasErrors(object: JsonObject, path: readonly string[]): FieldError[] {
  const field = `.${path.join('.')}`
  const found = nestedInteger(object, path)
  if ('error' in found) return [invalidValue(field, 0, found.error)]
  const { value } = found
  if (value < 0) return [invalidValue(field, value, 'should be a non-negative integer')]
  if (value > largestReplicas) return [invalidValue(field, value, `should be less than or equal to ${largestReplicas}`)]
  return []
}

function selectorErrors(object: JsonObject, path: readonly string[] | undefined): FieldError[] {
  if (path === undefined) return []
  const found = nested(object, path)
  const field = `.${path.join('.')}`
  if ('error' in found) return [invalidValue(field, '', found.error)]
  const { value } = found
  if (value === undefined || typeof value === 'string') return []
  const text = value === null ? '<nil>' : textOf(value)
  const type = value === null ? '<nil>' : goTypeOf(value)
  return [invalidValue(field, '', `${field} accessor error: ${text} is of the type ${type}, expected string`)]
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
  if (scale !== undefined) errors.push(...replicasErrors(object, scale.specReplicas), ...scaleStatusErrors(read, object))
  errors.push(...embeddedErrors(object, node, ''))
  if (node?.hasListTypes === true) {
    const wasValid = old === undefined || listTypeErrors(old, node).length === 0
    if (wasValid) errors.push(...listTypeErrors(object, node))
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
    errors.push(...schemaErrors(statusValidator, object.status, 'status', correlation))
  }
  errors.push(...scaleStatusErrors(read, object))
  const repeated = listTypeErrors(object, node)
  if (repeated.length > 0 && listTypeErrors(old, node).length === 0) errors.push(...repeated)
  return [...errors, ...ruleErrors(read, object, old, errors, warn)]
}
