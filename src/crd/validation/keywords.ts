/** Validates the keywords of a schema. Follows ValidateCustomResourceDefinitionOpenAPISchema of apiextensions-apiserver. */

import { internalJson } from '../../catalog/internal-json.ts'
import {
  addErrors,
  asJson,
  errorsOf,
  type FieldError,
  forbiddenValue,
  invalidValue,
  notSupported,
  required,
} from '../../meta/field-error.ts'
import type { Parts } from '../../meta/parts.ts'
import { explicitEmpty } from '../../schema/explicit-empty.ts'
import { isSchema, itemsOf, type JsonSchema, propertiesOf, type ValidationRule } from '../json-schema.ts'
import { typeFields } from '../schema/prune.ts'
import { FieldPathError, followFieldPath } from './field-path.ts'
import type { RuleContext } from './rule-context.ts'
import { ruleErrors } from './rule-errors.ts'

/** The state of the validation at one position. */
interface Place {
  readonly path: string
  /** The reason why a default is not allowed here; undefined if it is allowed. */
  readonly noDefault: string | undefined
  readonly isInsideMeta: boolean
  readonly isRoot: boolean
  /** The path of the nearest ancestor whose parts cannot be correlated with old values. */
  readonly uncorrelated: string | undefined
  /** Undefined if rules are not validated. */
  readonly rules: RuleContext | undefined
}

/** Errors of the schema and errors of its rules, which are listed after them. */
export interface KeywordErrors {
  readonly schema: FieldError[]
  readonly rules: FieldError[]
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const mapTypes: ReadonlySet<string> = new Set(['atomic', 'granular'])
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** Keywords that structural schemas must not have. */
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

/** Whether a keyword is present; an empty `dependencies` counts. */
const isGiven = (schema: JsonSchema, keyword: (typeof unsupported)[number]): boolean =>
  keyword === 'dependencies' || keyword === 'additionalItems' || keyword === '$ref'
    ? (schema[keyword] ?? explicitEmpty(schema, keyword)) !== undefined
    : !isEmpty(schema[keyword])

function standardErrors(schema: JsonSchema, place: Place): FieldError[] {
  const { path } = place
  const { type = '' } = schema
  const errors: FieldError[] = []
  if (type !== '' && !types.includes(type)) errors.push(notSupported(`${path}.type`, type, types))
  if (schema.default !== undefined && place.noDefault !== undefined) {
    errors.push(forbiddenValue(`${path}.default`, `must not be set ${place.noDefault}`))
  }
  for (const keyword of unsupported) {
    if (isGiven(schema, keyword)) errors.push(forbiddenValue(`${path}.${keyword}`, `${keyword} is not supported`))
  }
  if (type === 'null') {
    errors.push(forbiddenValue(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'))
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.push(forbiddenValue(`${path}.items`, 'items must be a schema object and not an array'))
  }
  if (place.isInsideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(forbiddenValue(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'))
  }
  return errors
}

/** Requires the type that a keyword needs. */
function needsType(schema: JsonSchema, path: string, type: string, keyword: string): FieldError[] {
  const given = schema.type ?? ''
  if (given === type) return []
  const text = `must be ${type} if ${keyword} is specified`
  return [given === '' ? required(`${path}.type`, text) : invalidValue(`${path}.type`, given, text)]
}

function setErrors(schema: JsonSchema, path: string): FieldError[] {
  const items = itemsOf(schema)
  if (items === undefined) return []
  const text = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  const listType = items['x-kubernetes-list-type']
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalidValue(`${path}.items.x-kubernetes-list-type`, listType, text)]
  }
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    return [invalidValue(`${path}.items.x-kubernetes-map-type`, listType ?? null, text)]
  }
  return []
}

function mapKeyErrors(schema: JsonSchema, items: JsonSchema, path: string): FieldError[] {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const place = `${path}.x-kubernetes-list-map-keys`
  const seen = new Set<string>()
  // Most of these errors contain all keys, so that only a few of them have room in a Status.
  return errorsOf(keys, (key) => {
    const errors: FieldError[] = []
    const property = items.properties?.[key]
    if (property === undefined) errors.push(invalidValue(place, keys, 'entries must all be names of item properties'))
    else if (property.type === 'array' || property.type === 'object') {
      const text = "must be a scalar type if parent array's x-kubernetes-list-type is map"
      errors.push(invalidValue(`${path}.items.properties[${key}].type`, items.type, text))
    }
    if (seen.has(key)) errors.push(invalidValue(place, keys, 'must not contain duplicate entries'))
    seen.add(key)
    return errors
  })
}

function mapErrors(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = []
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (keys.length === 0) {
    errors.push(required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'))
  }
  const items = itemsOf(schema)
  if (schema.items === undefined) errors.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'))
  else if (items === undefined) {
    const text = 'must only have a single schema if x-kubernetes-list-type is map'
    errors.push(invalidValue(`${path}.items`, internalJson('or:Array', schema.items), text))
  } else if (items.type !== 'object') {
    const text = "must be object if parent array's x-kubernetes-list-type is map"
    errors.push(invalidValue(`${path}.items.type`, items.type ?? '', text))
  } else addErrors(errors, mapKeyErrors(schema, items, path))
  return errors
}

/** Validates items of lists of type `set` and `map`: their keys or values must be required and not nullable. */
function itemErrors(schema: JsonSchema, path: string): FieldError[] {
  const items = itemsOf(schema)
  const listType = schema['x-kubernetes-list-type']
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return []
  const errors: FieldError[] = []
  if (items.nullable === true) {
    errors.push(forbiddenValue(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`))
  }
  if (listType === 'set') return errors
  const isRequired = new Set(items.required)
  const ofKeys = errorsOf(schema['x-kubernetes-list-map-keys'] ?? [], (key) => {
    const property = items.properties?.[key]
    if (property === undefined) return []
    const place = `${path}.items.properties[${key}]`
    const text = 'this property is in x-kubernetes-list-map-keys, so it'
    const isAbsent = !isRequired.has(key) && property.default === undefined
    return [
      ...(isAbsent ? [required(`${place}.default`, `${text} must have a default or be a required property`)] : []),
      ...(property.nullable === true ? [forbiddenValue(`${place}.nullable`, `${text} cannot be nullable`)] : []),
    ]
  })
  return [...errors, ...ofKeys]
}

function extensionErrors(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = []
  const mapType = schema['x-kubernetes-map-type']
  const listType = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'))
  }
  if (mapType !== undefined) addErrors(errors, needsType(schema, path, 'object', 'x-kubernetes-map-type'))
  if (mapType !== undefined && !mapTypes.has(mapType)) {
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, [...mapTypes]))
  }
  if (listType !== undefined && schema.type !== 'array') {
    addErrors(errors, needsType(schema, path, 'array', 'x-kubernetes-list-type'))
  } else if (listType === 'set') addErrors(errors, setErrors(schema, path))
  const place = `${path}.x-kubernetes-list-type`
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType)) {
    errors.push(notSupported(place, listType, ['atomic', 'set', 'map']))
  }
  if (keys.length > 0 && listType !== 'map') {
    const text = 'must be map if x-kubernetes-list-map-keys is non-empty'
    errors.push(listType === undefined ? required(place, text) : invalidValue(place, listType, text))
  }
  if (listType === 'map') addErrors(errors, mapErrors(schema, path))
  return [...errors, ...itemErrors(schema, path)]
}

const hasLineBreaks = (text: string): boolean => /[\n\r]/.test(text)

function ruleTextErrors({ rule, message = '' }: ValidationRule, path: string): FieldError[] {
  if (rule.trim() === '') return [required(`${path}.rule`, 'rule is not specified')]
  if (message !== '' && message.trim() === '') {
    return [invalidValue(`${path}.message`, message, 'must be non-empty if specified')]
  }
  if (hasLineBreaks(message.trim())) return [invalidValue(`${path}.message`, message, 'must not contain line breaks')]
  if (hasLineBreaks(rule.trim()) && message.trim() === '') {
    return [required(`${path}.message`, 'message must be specified if rule contains line breaks')]
  }
  return []
}

function isPath(schema: JsonSchema, fieldPath: string): boolean {
  try {
    followFieldPath(fieldPath, schema, 'allowed')
    return true
  } catch (error) {
    if (error instanceof FieldPathError) return false
    throw error
  }
}

function ruleFieldErrors(schema: JsonSchema, rule: ValidationRule, path: string): FieldError[] {
  const { messageExpression = '', reason, fieldPath = '' } = rule
  const errors = ruleTextErrors(rule, path)
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'))
  }
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${path}.reason`, asJson(reason), reasons))
  const place = `${path}.fieldPath`
  if (fieldPath !== '' && fieldPath.trim() === '') errors.push(invalidValue(place, fieldPath, 'must be non-empty if specified'))
  if (hasLineBreaks(fieldPath)) errors.push(invalidValue(place, fieldPath, 'must not contain line breaks'))
  if (fieldPath !== '' && !isPath(schema, fieldPath)) errors.push(invalidValue(place, fieldPath, 'must be a valid path'))
  return errors
}

class Keywords {
  *visit(schema: JsonSchema, place: Place): Parts<KeywordErrors> {
    const { path } = place
    const own: KeywordErrors = { schema: standardErrors(schema, place), rules: [] }
    if (schema.uniqueItems === true) {
      const text = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
      own.schema.push(forbiddenValue(`${path}.uniqueItems`, text))
    }
    yield 1
    yield* this.#additional(schema, place, own)
    yield* this.#properties(schema, place, own)
    yield* this.#logic(schema, place, own)
    yield* this.#items(schema, place, own)
    addErrors(own.schema, extensionErrors(schema, path))
    yield* this.#rules(schema, place, own)
    return own
  }

  #into(own: KeywordErrors, below: KeywordErrors): void {
    addErrors(own.schema, below.schema)
    addErrors(own.rules, below.rules)
  }

  *#additional(schema: JsonSchema, place: Place, own: KeywordErrors): Parts<void> {
    const { additionalProperties } = schema
    if (additionalProperties === undefined) return
    const path = `${place.path}.additionalProperties`
    if (propertiesOf(schema).length > 0 && additionalProperties !== true) {
      own.schema.push(forbiddenValue(path, 'additionalProperties and properties are mutual exclusive'))
    }
    if (!isSchema(additionalProperties)) return
    const noDefault = place.isInsideMeta ? 'inside additionalProperties applying to object metadata' : place.noDefault
    const rules = place.rules?.below(additionalProperties)
    this.#into(own, yield* this.visit(additionalProperties, { ...place, path, noDefault, isRoot: false, rules }))
  }

  *#properties(schema: JsonSchema, place: Place, own: KeywordErrors): Parts<void> {
    const mapType = schema['x-kubernetes-map-type']
    const uncorrelated = mapType === undefined || mapTypes.has(mapType) ? place.uncorrelated : (place.uncorrelated ?? place.path)
    const isResource = place.isRoot || schema['x-kubernetes-embedded-resource'] === true
    for (const [name, property] of propertiesOf(schema)) {
      const isMeta = isResource && typeFields.has(name)
      const below: Place = {
        path: `${place.path}.properties[${name}]`,
        noDefault: isMeta && place.isRoot ? `in top-level ${name}` : place.noDefault,
        isInsideMeta: place.isInsideMeta || isMeta,
        isRoot: false,
        uncorrelated,
        rules: place.rules?.below(property),
      }
      this.#into(own, yield* this.visit(property, below))
    }
  }

  *#logic(schema: JsonSchema, place: Place, own: KeywordErrors): Parts<void> {
    const below: readonly (readonly [JsonSchema, string])[] = [
      ...(schema.not === undefined ? [] : [[schema.not, 'not'] as const]),
      ...(['allOf', 'oneOf', 'anyOf'] as const).flatMap((keyword) =>
        (schema[keyword] ?? []).map((each, i) => [each, `${keyword}[${i}]`] as const),
      ),
      ...Object.entries(schema.definitions ?? {}).map(([name, each]) => [each, `definitions[${name}]`] as const),
    ]
    for (const [each, step] of below) {
      const path = `${place.path}.${step}`
      this.#into(own, yield* this.visit(each, { ...place, path, isRoot: false, rules: undefined }))
    }
  }

  *#items(schema: JsonSchema, place: Place, own: KeywordErrors): Parts<void> {
    if (schema.items === undefined) return
    const isKeyed = schema['x-kubernetes-list-type'] === 'map'
    const uncorrelated = isKeyed ? place.uncorrelated : (place.uncorrelated ?? place.path)
    const path = `${place.path}.items`
    const below: readonly (readonly [JsonSchema, string])[] = isSchema(schema.items)
      ? [[schema.items, path]]
      : schema.items.map((each, i) => [each, `${path}[${i}]`])
    for (const [each, at] of below) {
      const rules = place.rules?.below(each)
      this.#into(own, yield* this.visit(each, { ...place, path: at, isRoot: false, uncorrelated, rules }))
    }
  }

  *#rules(schema: JsonSchema, place: Place, own: KeywordErrors): Parts<void> {
    const rules = schema['x-kubernetes-validations'] ?? []
    if (rules.length === 0) return
    const path = `${place.path}.x-kubernetes-validations`
    addErrors(
      own.schema,
      errorsOf(rules, (rule, i) => ruleFieldErrors(schema, rule, `${path}[${i}]`)),
    )
    if (own.schema.length > 0 || place.rules === undefined) return
    addErrors(own.rules, yield* ruleErrors(place.rules, rules, path, place.uncorrelated))
  }
}

/** Validates the keywords of a version's schema. Without `rules` no expression is compiled. */
export function* keywordErrors(schema: JsonSchema, path: string, rules: RuleContext | undefined): Parts<FieldError[]> {
  const place: Place = { path, noDefault: undefined, isInsideMeta: false, isRoot: true, uncorrelated: undefined, rules }
  const { schema: errors, rules: ofRules } = yield* new Keywords().visit(schema, place)
  return [...errors, ...ofRules]
}
