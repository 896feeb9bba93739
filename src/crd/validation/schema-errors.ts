/** Validates the schema of a version. */

import { internalJson } from '../../catalog/internal-json.ts'
import { addErrors, type FieldError, forbiddenValue, invalidValue } from '../../meta/field-error.ts'
import type { Parts } from '../../meta/parts.ts'
import { explicitEmptyFields } from '../../schema/explicit-empty.ts'
import type { JsonSchema } from '../json-schema.ts'
import { defaultsErrors } from './defaults.ts'
import { keywordErrors } from './keywords.ts'
import { RuleContext } from './rule-context.ts'
import { conversionError, structuralErrors, wholeSlice } from './structural.ts'

/** The root fields that are allowed beside the status if it is a subresource, by their Go and JSON names. */
const atRoot: readonly (readonly [string, keyof JsonSchema])[] = [
  ['Description', 'description'],
  ['Type', 'type'],
  ['Format', 'format'],
  ['Title', 'title'],
  ['Maximum', 'maximum'],
  ['ExclusiveMaximum', 'exclusiveMaximum'],
  ['Minimum', 'minimum'],
  ['ExclusiveMinimum', 'exclusiveMinimum'],
  ['MaxLength', 'maxLength'],
  ['MinLength', 'minLength'],
  ['Pattern', 'pattern'],
  ['MaxItems', 'maxItems'],
  ['MinItems', 'minItems'],
  ['UniqueItems', 'uniqueItems'],
  ['MultipleOf', 'multipleOf'],
  ['Required', 'required'],
  ['Items', 'items'],
  ['Properties', 'properties'],
  ['ExternalDocs', 'externalDocs'],
  ['Example', 'example'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields'],
  ['XValidations', 'x-kubernetes-validations'],
]

const allowedAtRoot: ReadonlySet<string> = new Set(atRoot.map(([, field]) => field))

function rootErrors(schema: JsonSchema, path: string, hasStatus: boolean): FieldError[] {
  const errors: FieldError[] = []
  if (hasStatus) {
    const { type = '' } = schema
    if (type !== '' && type !== 'object') {
      const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
      errors.push(invalidValue(`${path}.type`, type, text))
    } else if ([...Object.keys(schema), ...explicitEmptyFields(schema)].some((field) => !allowedAtRoot.has(field))) {
      const names = atRoot.map(([name]) => name).join(' ')
      const text = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`
      errors.push(invalidValue(path, internalJson('apiextensions.JSONSchemaProps', schema), text))
    }
  }
  if (schema.nullable === true) errors.push(forbiddenValue(`${path}.nullable`, 'nullable cannot be true at the root'))
  return errors
}

/**
 * Validates the schema of a version.
 * @param path of the schema
 * @param hasStatus whether the status is a subresource
 * @param limits whether the cost of single rules is checked: not if the schema was accepted before
 */
export function* schemaErrors(
  schema: JsonSchema,
  path: string,
  hasStatus: boolean,
  limits: 'checked' | 'accepted',
): Parts<FieldError[]> {
  const errors = rootErrors(schema, path, hasStatus)
  yield wholeSlice
  const impossible = conversionError(schema)
  let rules: RuleContext | undefined
  if (impossible === undefined) {
    const ofStructure = yield* structuralErrors(schema, path)
    yield wholeSlice
    const ofDefaults = ofStructure.length > 0 ? [] : defaultsErrors(schema, path)
    yield wholeSlice
    addErrors(errors, [...ofStructure, ...ofDefaults])
    if (ofStructure.length === 0 && ofDefaults.length === 0) rules = RuleContext.root(schema, limits)
  }
  addErrors(errors, yield* keywordErrors(schema, path, rules))
  if (rules !== undefined) addErrors(errors, rules.total.errors(path))
  // The error that prevents a structural schema is reported only if the keywords have no errors.
  return errors.length === 0 && impossible !== undefined ? [invalidValue(path, '', impossible)] : errors
}
