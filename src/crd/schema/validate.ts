/**
 * Values against their schema: every keyword, with the texts and in the order of k8s.io/kube-openapi/pkg/validation, which
 * kube-apiserver validates custom resources with.
 */

import { equalValues } from '../../apply/value.ts'
import { isRawNumber, isWholeDouble } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue, RawNumber } from '../../go/json-value.ts'
import { goQuote } from '../../go/text.ts'
import { isSchema, itemsOf, type JsonSchema, propertiesOf } from '../json-schema.ts'
import type { Correlation } from './correlation.ts'
import { formatOf } from './formats.ts'
import { isIntegerLike, type NumberRules, numberProblems, shownNumber } from './number-rules.ts'
import { numberOf } from './numbers.ts'
import { patternOf } from './pattern.ts'
import { Result, type Violation } from './violation.ts'
import { Work } from './work.ts'

/**
 * How a schema is read: as objects are held against it, or as its own defaults are. For these an int-or-string has no type, and
 * a format that is not known for its type is still told of.
 */
type Reading = 'objects' | 'defaults'

/** The types of a schema; an int-or-string has two. */
function typesOf(schema: JsonSchema, reading: Reading): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return reading === 'objects' ? ['integer', 'string'] : []
  return schema.type === undefined || schema.type === '' ? [] : [schema.type]
}

/** A schema with what is asked of it for each value worked out once. */
export interface Validator {
  readonly schema: JsonSchema
  readonly types: readonly string[]
  /** The format, where it is one that is known for the type. */
  readonly format: string
  /** The format that a value of another type is told not to have. */
  readonly typeFormat: string
  readonly numbers: NumberRules
  readonly checksFormat: ((text: string) => boolean) | undefined
  readonly matchesPattern: ((text: string) => boolean) | undefined
  readonly properties: readonly (readonly [string, Validator])[]
  readonly declared: ReadonlySet<string>
  /** The values of an enumeration of nothing but texts. */
  readonly texts: ReadonlySet<string> | undefined
  readonly additional: Validator | undefined
  readonly items: Validator | undefined
  readonly allOf: readonly Validator[]
  readonly anyOf: readonly Validator[]
  readonly oneOf: readonly Validator[]
  readonly not: Validator | undefined
}

function textsOf(values: JsonSchema['enum']): ReadonlySet<string> | undefined {
  return values?.every((value) => typeof value === 'string') === true ? new Set(values) : undefined
}

function numberRulesOf(schema: JsonSchema, types: readonly string[], format: string): NumberRules {
  const { multipleOf, maximum, minimum, exclusiveMaximum, exclusiveMinimum } = schema
  return {
    type: types.length === 1 ? types[0] : undefined,
    format,
    ...(multipleOf !== undefined && { multipleOf }),
    ...(maximum !== undefined && { maximum }),
    ...(minimum !== undefined && { minimum }),
    ...(exclusiveMaximum !== undefined && { exclusiveMaximum }),
    ...(exclusiveMinimum !== undefined && { exclusiveMinimum }),
  }
}

/** Makes the validator of a schema. */
export function validatorOf(schema: JsonSchema, reading: Reading = 'objects'): Validator {
  const of = (inner: JsonSchema): Validator => validatorOf(inner, reading)
  const types = typesOf(schema, reading)
  const { name, check } = formatOf(types, schema.format ?? '')
  const items = itemsOf(schema)
  const { additionalProperties, pattern } = schema
  return {
    schema,
    types,
    format: name,
    typeFormat: reading === 'objects' ? name : (schema.format ?? ''),
    numbers: numberRulesOf(schema, types, name),
    checksFormat: check,
    matchesPattern: pattern === undefined || pattern === '' ? undefined : patternOf(pattern),
    properties: propertiesOf(schema).map(([property, inner]) => [property, of(inner)] as const),
    declared: new Set(Object.keys(schema.properties ?? {})),
    texts: textsOf(schema.enum),
    additional: isSchema(additionalProperties) ? of(additionalProperties) : undefined,
    items: items === undefined ? undefined : of(items),
    allOf: (schema.allOf ?? []).map(of),
    anyOf: (schema.anyOf ?? []).map(of),
    oneOf: (schema.oneOf ?? []).map(of),
    not: schema.not === undefined ? undefined : of(schema.not),
  }
}

/** What JSON calls the type of a value. */
function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number' || isRawNumber(value)) return isIntegerLike(value) ? 'integer' : 'number'
  return typeof value === 'object' ? 'object' : typeof value
}

const value = (path: string, text: string, of: JsonValue): Violation => ({ path, text, kind: { is: 'value', value: of } })

const composite = (text: string): Violation => ({ path: '', text, kind: { is: 'composite' } })

const wrongType = (path: string, expected: string, actual: string): Violation => ({
  path,
  text: `${path} in body must be of type ${expected}: ${goQuote(actual)}`,
  kind: { is: 'type', value: actual },
})

/** One value against one schema. */
class Validation {
  /** Where the value stands. */
  readonly #path: string
  readonly #validator: Validator
  readonly #correlation: Correlation | undefined
  readonly #work: Work
  readonly #result = new Result()

  constructor(validator: Validator, path: string, correlation: Correlation | undefined, work: Work) {
    this.#validator = validator
    this.#path = path
    this.#correlation = correlation
    this.#work = work
  }

  run(of: JsonValue): Result {
    const result = this.#result
    this.#work.compare()
    if (of === null) {
      this.#null()
      this.#enum(of)
      return result
    }
    const type = jsonType(of)
    this.#type(of, type)
    this.#alternatives(of)
    if (typeof of === 'string') this.#text(of)
    else if (typeof of === 'number' || isRawNumber(of)) this.#number(of)
    else if (Array.isArray(of)) this.#list(of)
    this.#enum(of)
    result.matches++
    if (isObject(of)) {
      this.#object(of)
      result.matches++
    }
    result.matches++
    return result
  }

  #add(text: string, of: JsonValue): void {
    this.#result.add(value(this.#path, `${this.#path} in body ${text}`, of))
  }

  #null(): void {
    const { types, schema, format } = this.#validator
    if (types.length > 0 && schema.nullable !== true) this.#result.add(wrongType(this.#path, types.join(','), 'null'))
    else if (types.length > 0 || format !== '') this.#result.matches++
  }

  #type(of: JsonValue, type: string): void {
    const { types, typeFormat: format } = this.#validator
    if (types.length === 0 && format === '') return
    this.#result.matches++
    const isInteger = type === 'integer' && (types.includes('integer') || types.includes('number'))
    const fits = isInteger || types.includes(type)
    const isNumeric = types.includes('number') || types.includes('integer')
    const isText = typeof of === 'string' || Array.isArray(of)
    if (format !== '' && isText && !isNumeric) {
      this.#result.matches++
      return
    }
    if (fits) this.#result.matches++
    else if (format !== '' && !isText) this.#result.add(wrongType(this.#path, format, formatOfType(type)))
    else this.#result.add(wrongType(this.#path, types.join(','), type))
  }

  /** Checks that are the value's against another schema as a whole. */
  #alternatives(of: JsonValue): void {
    const { anyOf, oneOf, allOf, not } = this.#validator
    if (anyOf.length > 0) this.#anyOf(of)
    if (oneOf.length > 0) this.#oneOf(of)
    if (allOf.length > 0) this.#allOf(of)
    if (not !== undefined && this.#against(not, of).isValid) {
      this.#result.add(composite(`${goQuote(this.#path)} must not validate the schema (not)`))
    }
    this.#result.matches += 2
  }

  #against(validator: Validator, of: JsonValue): Result {
    return new Validation(validator, this.#path, this.#correlation, this.#work).run(of)
  }

  #anyOf(of: JsonValue): void {
    let best: Result | undefined
    for (const alternative of this.#validator.anyOf) {
      const result = this.#against(alternative, of)
      if (result.isValid) {
        this.#result.merge(result)
        return
      }
      if (best === undefined || result.matches > best.matches) best = result
    }
    this.#result.add(composite(`${goQuote(this.#path)} must validate at least one schema (anyOf)`))
    if (best !== undefined) this.#result.merge(best)
  }

  #oneOf(of: JsonValue): void {
    let best: Result | undefined
    let first: Result | undefined
    let valid = 0
    for (const alternative of this.#validator.oneOf) {
      const result = this.#against(alternative, of)
      if (result.isValid) {
        valid++
        first ??= result
      } else if (valid === 0 && (best === undefined || result.matches > best.matches)) best = result
    }
    if (valid === 1) {
      if (first !== undefined) this.#result.merge(first)
      return
    }
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
    this.#result.add(composite(`${goQuote(this.#path)} must validate one and only one schema (oneOf). ${found}`))
    if (valid === 0 && best !== undefined) this.#result.merge(best)
  }

  #allOf(of: JsonValue): void {
    const { allOf } = this.#validator
    let valid = 0
    for (const part of allOf) {
      const result = this.#against(part, of)
      if (result.isValid) valid++
      this.#result.merge(result)
    }
    if (valid === allOf.length) return
    const none = valid === 0 ? '. None validated' : ''
    this.#result.add(composite(`${goQuote(this.#path)} must validate all the schemas (allOf)${none}`))
  }

  #text(of: string): void {
    this.#bounds(of)
    this.#result.matches++
    const { checksFormat, format } = this.#validator
    if (checksFormat === undefined) return
    this.#result.matches++
    if (!checksFormat(of)) this.#result.add(wrongFormat(this.#path, format, of))
  }

  /** Only the first of these is told. */
  #bounds(of: string): void {
    const { schema, matchesPattern } = this.#validator
    const { maxLength, minLength, pattern = '' } = schema
    if (maxLength !== undefined && isLonger(of, maxLength)) {
      const text = `${this.#path} in body should be at most ${maxLength} chars long`
      this.#result.add({ path: this.#path, text, kind: { is: 'too long', maximum: maxLength } })
    } else if (minLength !== undefined && !isLonger(of, minLength - 1)) {
      this.#add(`should be at least ${minLength} chars long`, of)
    } else if (matchesPattern !== undefined) {
      this.#work.search(of.length)
      if (!matchesPattern(of)) this.#add(`should match '${pattern}'`, of)
    }
  }

  #number(of: number | RawNumber): void {
    for (const problem of numberProblems(of, this.#validator.numbers, this.#path)) {
      this.#result.add(
        'whole' in problem ? composite(problem.whole) : value(this.#path, problem.about, problem.shown ?? shownNumber(of)),
      )
    }
    this.#result.matches += 2
  }

  #list(of: readonly JsonValue[]): void {
    const { items, schema } = this.#validator
    if (items !== undefined) {
      for (let i = 0; i < of.length; i++) {
        this.#result.merge(validateAt(items, of[i] ?? null, `${this.#path}[${i}]`, this.#correlation?.index(i), this.#work))
      }
    }
    const { minItems, maxItems } = schema
    const size = of.length
    if (minItems !== undefined && size < minItems) this.#add(`should have at least ${minItems} items`, size)
    if (maxItems !== undefined && size > maxItems) {
      const text = `${this.#path} in body should have at most ${maxItems} items`
      this.#result.add({ path: this.#path, text, kind: { is: 'too many', actual: size, maximum: maxItems } })
    }
    this.#result.matches += 2
  }

  #object(of: JsonObject): void {
    const { schema, properties, additional, declared } = this.#validator
    const { minProperties, maxProperties } = schema
    if (minProperties !== undefined || maxProperties !== undefined) this.#count(Object.keys(of).length)
    if (additional !== undefined) {
      for (const key of Object.keys(of))
        if (!declared.has(key)) this.#key(additional, key, `${this.#path}.${key}`, of[key] ?? null)
    } else if (schema.additionalProperties === false) {
      for (const key of Object.keys(of)) {
        if (declared.has(key)) continue
        const text = `${this.#path}.${key} in body is a forbidden property`
        this.#result.add(value(this.#path, text, key))
      }
    }
    for (const [key, validator] of properties) {
      const inner = of[key]
      if (inner === undefined || !Object.hasOwn(of, key)) continue
      this.#key(validator, key, this.#path === '' ? key : `${this.#path}.${key}`, inner)
    }
    for (const key of schema.required ?? []) {
      if (Object.hasOwn(of, key)) continue
      const path = `${this.#path}.${key}`
      this.#result.add({ path, text: `${path} in body is required`, kind: { is: 'required' } })
    }
  }

  #count(size: number): void {
    const { minProperties, maxProperties } = this.#validator.schema
    if (minProperties !== undefined && size < minProperties) this.#add(`should have at least ${minProperties} properties`, size)
    if (maxProperties === undefined || size <= maxProperties) return
    const text = `${this.#path} in body should have at most ${maxProperties} properties`
    this.#result.add({ path: this.#path, text, kind: { is: 'too many', actual: size, maximum: maxProperties } })
  }

  /** Kind and version are of the request: what was there before says nothing of them. */
  #key(validator: Validator, key: string, path: string, of: JsonValue): void {
    const isTypeMeta = this.#path === '' && (key === 'kind' || key === 'apiVersion')
    this.#result.merge(validateAt(validator, of, path, isTypeMeta ? undefined : this.#correlation?.key(key), this.#work))
  }

  #enum(of: JsonValue): void {
    const { schema, texts } = this.#validator
    const values = schema.enum
    if (values === undefined || values.length === 0) return
    if (texts === undefined ? values.some((allowed) => isEnumValue(of, allowed)) : typeof of === 'string' && texts.has(of)) return
    const shown = values.map((allowed) => (typeof allowed === 'string' ? allowed : JSON.stringify(allowed))).join(' ')
    const text = `${this.#path} in body should be one of [${shown}]`
    this.#result.add({ path: this.#path, text, kind: { is: 'enum', value: shownNumber(of), values } })
  }
}

const formatOfType = (type: string): string => ({ integer: 'int64', number: 'float64' })[type] ?? ''

const wrongFormat = (path: string, format: string, of: string): Violation => ({
  path,
  text: `${path} in body must be of type ${format}: ${goQuote(of)}`,
  kind: { is: 'type', value: of },
})

/** Whether a text has more than so many characters: code points, counted only where the units do not settle it. */
function isLonger(text: string, characters: number): boolean {
  if (text.length <= characters) return false
  if (text.length > characters * 2) return true
  let count = 0
  for (const _ of text) count++
  return count > characters
}

/** An integer of the enumeration is also what a number is that has it before its point, as Go converts numbers. */
function isEnumValue(of: JsonValue, allowed: JsonValue): boolean {
  if (of === null) return false
  const isNumber = typeof of === 'number' || isWholeDouble(of)
  if (isNumber && typeof allowed === 'number' && Number.isInteger(allowed)) return Math.trunc(numberOf(of)) === allowed
  return equalValues(of, allowed)
}

/**
 * A value against a schema; where it is what it was before, what is wrong with it is let pass.
 * @throws ApiError 504 where that takes too much
 */
export function validateAt(
  validator: Validator,
  of: JsonValue,
  path: string,
  correlation: Correlation | undefined,
  work = new Work(),
): Result {
  const result = new Validation(validator, path, correlation, work).run(of)
  if (!result.isValid && correlation?.isUnchanged === true) result.forgive()
  return result
}
