/**
 * Validates that a schema is structural: types are declared outside of logic (anyOf, oneOf, allOf, not), and logic only restricts
 * them. Follows "Structural schemas" of KEP 20180731-crd-pruning, with the messages of ValidateStructural of
 * apiextensions-apiserver.
 */

import { equalValues } from '../../apply/value.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { addErrors, type FieldError, forbiddenValue, invalidValue, required } from '../../meta/field-error.ts'
import type { Parts } from '../../meta/parts.ts'
import { isSchema, itemsOf, type JsonSchema, propertiesOf } from '../json-schema.ts'
import { patternError } from '../schema/pattern.ts'

type Level = 'root' | 'items' | 'field'

/** The weight of a walk over the whole schema, so that it gets a slice of its own. */
export const wholeSlice = 1000

const none: readonly JsonSchema[] = []

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  items: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

const isEmbedded = (schema: JsonSchema): boolean => schema['x-kubernetes-embedded-resource'] === true
const preserves = (schema: JsonSchema): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true
const isIntOrString = (schema: JsonSchema): boolean => schema['x-kubernetes-int-or-string'] === true
const typeOf = (schema: JsonSchema): string => schema.type ?? ''

const intOrString: readonly JsonSchema[] = [{ type: 'integer' }, { type: 'string' }]

const isIntOrStringPattern = (schemas: readonly JsonSchema[] | undefined): boolean =>
  schemas !== undefined && equalValues(schemas as unknown as JsonValue, intOrString as unknown as JsonValue)

/** The keywords that logic must not use, with their messages. */
const forbiddenInLogic: readonly (readonly [keyof JsonSchema, (schema: JsonSchema) => boolean, string])[] = [
  ['type', (schema) => typeOf(schema) !== '', 'must be empty to be structural'],
  [
    'additionalProperties',
    ({ additionalProperties }) => additionalProperties !== undefined && additionalProperties !== false,
    'must be undefined to be structural',
  ],
  ['default', (schema) => schema.default !== undefined, 'must be undefined to be structural'],
  ['title', ({ title = '' }) => title !== '', 'must be empty to be structural'],
  ['description', ({ description = '' }) => description !== '', 'must be empty to be structural'],
  ['nullable', ({ nullable }) => nullable === true, 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', preserves, 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', isEmbedded, 'must be false to be structural'],
  ['x-kubernetes-int-or-string', isIntOrString, 'must be false to be structural'],
  [
    'x-kubernetes-list-map-keys',
    (schema) => (schema['x-kubernetes-list-map-keys'] ?? []).length > 0,
    'must be empty to be structural',
  ],
  ['x-kubernetes-list-type', (schema) => schema['x-kubernetes-list-type'] !== undefined, 'must be undefined to be structural'],
  ['x-kubernetes-map-type', (schema) => schema['x-kubernetes-map-type'] !== undefined, 'must be undefined to be structural'],
  [
    'x-kubernetes-validations',
    (schema) => (schema['x-kubernetes-validations'] ?? []).length > 0,
    'must be empty to be structural',
  ],
]

/** Adds the errors in the logic of a schema. Logic may have half a million parts: none of them gets a list of its own. */
function addLogicErrors(
  errors: FieldError[],
  schema: JsonSchema,
  path: string,
  skipsAnyOf: boolean,
  skipsFirstAllOf: boolean,
): void {
  const { anyOf = none, allOf = none, oneOf = none, not, pattern = '' } = schema
  if (!skipsAnyOf) for (let i = 0; i < anyOf.length; i++) addNestedErrors(errors, anyOf[i], `${path}.anyOf[${i}]`, false)
  for (let i = 0; i < allOf.length; i++) addNestedErrors(errors, allOf[i], `${path}.allOf[${i}]`, skipsFirstAllOf && i === 0)
  for (let i = 0; i < oneOf.length; i++) addNestedErrors(errors, oneOf[i], `${path}.oneOf[${i}]`, false)
  addNestedErrors(errors, not, `${path}.not`, false)
  const wrong = pattern === '' ? undefined : patternError(pattern)
  if (wrong === undefined) return
  errors.push(invalidValue(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${wrong}`))
}

/** Adds the errors of a schema within logic, if there is one. */
function addNestedErrors(errors: FieldError[], schema: JsonSchema | undefined, path: string, skipsAnyOf: boolean): void {
  if (schema === undefined) return
  addLogicErrors(errors, schema, path, skipsAnyOf, false)
  addNestedErrors(errors, itemsOf(schema), `${path}.items`, false)
  for (const [name, property] of propertiesOf(schema)) addNestedErrors(errors, property, `${path}.properties[${name}]`, false)
  for (const [keyword, isThere, text] of forbiddenInLogic) {
    if (isThere(schema)) errors.push(forbiddenValue(`${path}.${keyword}`, text))
  }
  if (schema.properties?.metadata !== undefined) {
    errors.push(forbiddenValue(`${path}.properties[metadata]`, 'must not be specified in a nested context'))
  }
}

function extensionErrors(schema: JsonSchema, path: string): FieldError[] {
  const text = 'must be false if x-kubernetes-int-or-string is true'
  if (!isIntOrString(schema)) return []
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((keyword) => schema[keyword] === true)
    .map((keyword) => invalidValue(`${path}.${keyword}`, true, text))
}

function typeErrors(schema: JsonSchema, path: string, level: Level): FieldError[] {
  const type = typeOf(schema)
  const errors: FieldError[] = []
  if (isEmbedded(schema) && type !== 'object') {
    const text = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(type === '' ? required(`${path}.type`, text) : invalidValue(`${path}.type`, type, text))
  } else if (type === '' && !isIntOrString(schema) && !preserves(schema))
    errors.push(required(`${path}.type`, missingType[level]))
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalidValue(`${path}.type`, type, 'must be object at the root'))
  }
  return errors
}

/** Whether the root's `metadata` restricts anything else than name and generateName. */
function restrictsMetadata(metadata: JsonSchema): boolean {
  const { type: _type, default: _default, properties = {}, ...rest } = metadata
  const names = Object.keys(properties)
  return Object.keys(rest).length > 0 || names.some((name) => name !== 'name' && name !== 'generateName')
}

function metaErrors(schema: JsonSchema, path: string, level: Level): FieldError[] {
  const errors: FieldError[] = []
  const isResource = level === 'root' || isEmbedded(schema)
  for (const name of ['kind', 'apiVersion']) {
    const property = schema.properties?.[name]
    if (property === undefined || !isResource || typeOf(property) === 'string') continue
    errors.push(invalidValue(`${path}.properties[${name}].type`, typeOf(property), 'must be string'))
  }
  const metadata = schema.properties?.metadata
  if (metadata === undefined) return errors
  const place = `${path}.properties[metadata]`
  if (isResource && typeOf(metadata) !== 'object') errors.push(invalidValue(`${place}.type`, typeOf(metadata), 'must be object'))
  if (level === 'root' && restrictsMetadata(metadata)) {
    const text = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
    errors.push(forbiddenValue(place, text))
  }
  return errors
}

function invariantErrors(schema: JsonSchema, path: string, level: Level): FieldError[] {
  const items = itemsOf(schema)
  const { additionalProperties, anyOf, allOf = [] } = schema
  const errors: FieldError[] = []
  if (typeOf(schema) === 'array' && items === undefined) errors.push(required(`${path}.items`, 'must be specified'))
  if (items !== undefined) addErrors(errors, invariantErrors(items, `${path}.items`, 'items'))
  for (const [name, property] of propertiesOf(schema)) {
    addErrors(errors, invariantErrors(property, `${path}.properties[${name}]`, 'field'))
  }
  const additional = `${path}.additionalProperties`
  if (additionalProperties !== undefined && level === 'root')
    errors.push(forbiddenValue(additional, 'must not be used at the root'))
  if (isSchema(additionalProperties)) addErrors(errors, invariantErrors(additionalProperties, additional, 'field'))
  addErrors(errors, extensionErrors(schema, path))
  const ofLogic: FieldError[] = []
  addLogicErrors(ofLogic, schema, path, isIntOrStringPattern(anyOf), isIntOrStringPattern(allOf[0]?.anyOf))
  addErrors(errors, ofLogic)
  addErrors(errors, typeErrors(schema, path, level))
  if (isEmbedded(schema) && additionalProperties !== undefined) {
    errors.push(forbiddenValue(additional, 'must not be used if x-kubernetes-embedded-resource is set'))
  }
  addErrors(errors, metaErrors(schema, path, level))
  if (isEmbedded(schema) && !preserves(schema) && propertiesOf(schema).length === 0) {
    const text = 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    errors.push(required(`${path}.properties`, text))
  }
  return errors
}

/**
 * Adds an error for each field within logic that is not declared outside. `own` is the schema at the same position outside, if it
 * exists.
 */
function addIncomplete(
  errors: FieldError[],
  nested: JsonSchema | undefined,
  own: JsonSchema | undefined,
  ownPath: string,
  path: string,
): void {
  if (nested === undefined) return
  if (own === undefined) {
    errors.push(required(ownPath, `because it is defined in ${path}`))
    return
  }
  addIncompleteLogic(errors, nested, own, ownPath, path)
  addIncomplete(errors, itemsOf(nested), itemsOf(own), `${ownPath}.items`, `${path}.items`)
  for (const [name, property] of propertiesOf(nested)) {
    const step = `.properties[${name}]`
    addIncomplete(errors, property, own.properties?.[name], ownPath + step, path + step)
  }
}

function addIncompleteLogic(errors: FieldError[], logic: JsonSchema, own: JsonSchema, ownPath: string, path: string): void {
  addIncomplete(errors, logic.not, own, ownPath, `${path}.not`)
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    const parts = logic[keyword] ?? none
    for (let i = 0; i < parts.length; i++) addIncomplete(errors, parts[i], own, ownPath, `${path}.${keyword}[${i}]`)
  }
}

/** Returns the errors of a schema that is not structural, sorted by text. */
export function* structuralErrors(schema: JsonSchema, path: string): Parts<FieldError[]> {
  yield wholeSlice
  const errors = invariantErrors(schema, path, 'root')
  yield wholeSlice
  addIncompleteLogic(errors, schema, schema, path, path)
  const text = ({ field, text: message }: FieldError): string => `${field}: ${message}`
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : 1))
}

/** Keywords that a structural schema cannot represent. */
const unsupported = ['id', '$schema', '$ref', 'patternProperties', 'dependencies', 'additionalItems', 'definitions'] as const

/** Whether a schema uses a keyword. An empty value does not count, except the schema of additional items. */
const isUsed = (schema: JsonSchema, keyword: (typeof unsupported)[number]): boolean =>
  keyword === 'additionalItems' ? schema.additionalItems !== undefined : isGiven(schema[keyword])

/** Returns the error that prevents a structural schema; undefined if it can be made. */
export function conversionError(schema: JsonSchema): string | undefined {
  const keyword = unsupported.find((each) => isUsed(schema, each))
  if (keyword !== undefined) return `OpenAPIV3Schema '${keyword === '$schema' ? 'schema' : keyword}' is not supported`
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  const { allOf = [], anyOf = [], oneOf = [], not, additionalProperties } = schema
  const items = itemsOf(schema)
  const below = [
    ...(not === undefined ? [] : [not]),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...(items === undefined ? [] : [items]),
    ...propertiesOf(schema).map(([, property]) => property),
    ...(isSchema(additionalProperties) ? [additionalProperties] : []),
  ]
  for (const each of below) {
    const error = conversionError(each)
    if (error !== undefined) return error
  }
  return undefined
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== '' && !(typeof value === 'object' && Object.keys(value as JsonObject).length === 0)
