/**
 * Validates values against schemas: every keyword, with the messages and in the order of k8s.io/kube-openapi/pkg/validation, with
 * which kube-apiserver validates custom resources.
 */

import { isRawNumber } from '../../go/json.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue, RawNumber } from '../../go/json-value.ts'
import type { Count } from '../../go/regexp/program.ts'
import { goQuote } from '../../go/text.ts'
import { isSchema, itemsOf, type JsonSchema, propertiesOf } from '../json-schema.ts'
import type { Correlation } from './correlation.ts'
import { isEnumerated, textsOf } from './enumeration.ts'
import { anyFormat, formatOf } from './formats.ts'
import { displayedNumber, isAcceptedNumber, type NumberRules, numberProblems, numericType } from './number-rules.ts'
import { patternOf } from './pattern.ts'
import { Result, type Violation } from './violation.ts'
import { SchemaWork } from './work.ts'

/**
 * The use of a schema: to validate objects, or its own defaults. For defaults an int-or-string has only the type that is given,
 * and a format that is not known for its type is still reported.
 */
type Reading = 'objects' | 'defaults'

/** Returns the types of a schema; an int-or-string has two. */
function typesOf(schema: JsonSchema, reading: Reading): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true && reading === 'objects') return ['integer', 'string']
  return schema.type === undefined || schema.type === '' ? [] : [schema.type]
}

/** A schema with everything computed in advance that each value needs. */
export interface Validator {
  readonly schema: JsonSchema
  readonly types: readonly string[]
  /** The format; for objects only if it is known for the type. */
  readonly format: string
  readonly numbers: NumberRules
  readonly checksFormat: ((text: string) => boolean) | undefined
  readonly matchesPattern: ((text: string, count: Count) => boolean) | undefined
  readonly properties: readonly (readonly [string, Validator])[]
  readonly declared: ReadonlySet<string>
  /** The values of an enum of strings only. */
  readonly texts: ReadonlySet<string> | undefined
  readonly additional: Validator | undefined
  readonly items: Validator | undefined
  readonly allOf: readonly Validator[]
  readonly anyOf: readonly Validator[]
  readonly oneOf: readonly Validator[]
  readonly not: Validator | undefined
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
  const compiled = (inner: JsonSchema): Validator => validatorOf(inner, reading)
  const types = typesOf(schema, reading)
  const known = formatOf(types, schema.format ?? '')
  const { name, check } = reading === 'objects' ? known : anyFormat(schema.format ?? '')
  const items = itemsOf(schema)
  const { additionalProperties, pattern } = schema
  return {
    schema,
    types,
    format: name,
    numbers: numberRulesOf(schema, types, known.name),
    checksFormat: check,
    matchesPattern: pattern === undefined || pattern === '' ? undefined : patternOf(pattern),
    properties: propertiesOf(schema).map(([property, inner]) => [property, compiled(inner)] as const),
    declared: new Set(Object.keys(schema.properties ?? {})),
    texts: textsOf(schema.enum),
    additional: isSchema(additionalProperties) ? compiled(additionalProperties) : undefined,
    items: items === undefined ? undefined : compiled(items),
    allOf: (schema.allOf ?? []).map(compiled),
    anyOf: (schema.anyOf ?? []).map(compiled),
    oneOf: (schema.oneOf ?? []).map(compiled),
    not: schema.not === undefined ? undefined : compiled(schema.not),
  }
}

const isNumber = (value: JsonValue): value is number | RawNumber => typeof value === 'number' || isRawNumber(value)

/** Returns the JSON type of a value. Every float64 is a number, even a whole one. */
function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array'
  if (isNumber(value)) return numericType(value)
  return typeof value === 'object' ? 'object' : typeof value
}

const value = (path: string, text: string, instance: JsonValue): Violation => ({
  path,
  text,
  kind: { rule: 'value', value: instance },
})

const composite = (text: string): Violation => ({ path: '', text, kind: { rule: 'composite' } })

const wrongType = (path: string, expected: string, actual: string): Violation => ({
  path,
  text: `${path} in body must be of type ${expected}: ${goQuote(actual)}`,
  kind: { rule: 'type', value: actual },
})

/** The validation of one value against one schema. */
class Validation {
  /** The path of the value. */
  readonly #path: string
  readonly #validator: Validator
  readonly #correlation: Correlation | undefined
  readonly #work: SchemaWork
  /** The result of the whole object or alternative, shared by the validations of all its values. */
  readonly #result: Result

  constructor(validator: Validator, path: string, correlation: Correlation | undefined, work: SchemaWork, result: Result) {
    this.#validator = validator
    this.#path = path
    this.#correlation = correlation
    this.#work = work
    this.#result = result
  }

  run(instance: JsonValue): Result {
    const result = this.#result
    this.#work.compare()
    if (instance === null) {
      this.#null()
      this.#enum(instance)
      return result
    }
    const type = jsonType(instance)
    this.#type(instance, type)
    this.#alternatives(instance)
    if (typeof instance === 'string') this.#text(instance)
    else if (isNumber(instance)) this.#number(instance)
    else if (Array.isArray(instance)) this.#list(instance)
    this.#enum(instance)
    result.matches++
    if (isObject(instance)) {
      this.#object(instance)
      result.matches++
    }
    result.matches++
    return result
  }

  #report(violation: Violation): void {
    this.#work.report(violation.text.length)
    this.#result.add(violation)
  }

  /** Adds the result of an alternative, whose violations count only now. */
  #mergeAlternative(result: Result): void {
    for (const { text } of result.violations) this.#work.report(text.length)
    this.#result.merge(result)
  }

  #add(text: string, instance: JsonValue): void {
    this.#report(value(this.#path, `${this.#path} in body ${text}`, instance))
  }

  #null(): void {
    const { types, schema, format } = this.#validator
    if (types.length > 0 && schema.nullable !== true) this.#report(wrongType(this.#path, types.join(','), 'null'))
    else if (types.length > 0 || format !== '') this.#result.matches++
  }

  #type(instance: JsonValue, type: string): void {
    const { types, format } = this.#validator
    if (types.length === 0 && format === '') return
    this.#result.matches++
    const fits = isNumber(instance) ? isAcceptedNumber(instance, types) : types.includes(type)
    const isNumeric = types.includes('number') || types.includes('integer')
    const isText = typeof instance === 'string' || Array.isArray(instance)
    if (format !== '' && isText && !isNumeric) {
      this.#result.matches++
      return
    }
    if (fits) this.#result.matches++
    else if (format !== '' && format !== formatOfType(type) && !isText)
      this.#report(wrongType(this.#path, format, formatOfType(type)))
    else this.#report(wrongType(this.#path, types.join(','), type))
  }

  /** Validates the value against anyOf, oneOf, allOf and not. */
  #alternatives(instance: JsonValue): void {
    const { anyOf, oneOf, allOf, not } = this.#validator
    if (anyOf.length > 0) this.#anyOf(instance)
    if (oneOf.length > 0) this.#oneOf(instance)
    if (allOf.length > 0) this.#allOf(instance)
    if (not !== undefined && this.#against(not, instance).isValid) {
      this.#report(composite(`${goQuote(this.#path)} must not validate the schema (not)`))
    }
    this.#result.matches += 2
  }

  /** Validates the value against an alternative. Within it, unchanged values have to be valid as well. */
  #against(validator: Validator, instance: JsonValue): Result {
    return new Validation(validator, this.#path, undefined, this.#work.ofAlternative(), new Result()).run(instance)
  }

  #anyOf(instance: JsonValue): void {
    let best: Result | undefined
    for (const alternative of this.#validator.anyOf) {
      const result = this.#against(alternative, instance)
      if (result.isValid) {
        this.#mergeAlternative(result)
        return
      }
      if (best === undefined || result.matches > best.matches) best = result
    }
    this.#report(composite(`${goQuote(this.#path)} must validate at least one schema (anyOf)`))
    if (best !== undefined) this.#mergeAlternative(best)
  }

  #oneOf(instance: JsonValue): void {
    let best: Result | undefined
    let first: Result | undefined
    let valid = 0
    for (const alternative of this.#validator.oneOf) {
      const result = this.#against(alternative, instance)
      if (result.isValid) {
        valid++
        first ??= result
      } else if (valid === 0 && (best === undefined || result.matches > best.matches)) best = result
    }
    if (valid === 1) {
      if (first !== undefined) this.#mergeAlternative(first)
      return
    }
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
    this.#report(composite(`${goQuote(this.#path)} must validate one and only one schema (oneOf). ${found}`))
    if (valid === 0 && best !== undefined) this.#mergeAlternative(best)
  }

  #allOf(instance: JsonValue): void {
    const { allOf } = this.#validator
    let valid = 0
    for (const part of allOf) {
      const result = this.#against(part, instance)
      if (result.isValid) valid++
      this.#mergeAlternative(result)
    }
    if (valid === allOf.length) return
    const none = valid === 0 ? '. None validated' : ''
    this.#report(composite(`${goQuote(this.#path)} must validate all the schemas (allOf)${none}`))
  }

  #text(instance: string): void {
    this.#bounds(instance)
    this.#result.matches++
    const { checksFormat, format } = this.#validator
    if (checksFormat === undefined) return
    this.#result.matches++
    if (!checksFormat(instance)) this.#report(wrongFormat(this.#path, format, instance))
  }

  /** Only the first violation is reported. */
  #bounds(instance: string): void {
    const { schema, matchesPattern } = this.#validator
    const { maxLength, minLength, pattern = '' } = schema
    if (maxLength !== undefined && isLonger(instance, maxLength)) {
      const text = `${this.#path} in body should be at most ${maxLength} chars long`
      this.#report({ path: this.#path, text, kind: { rule: 'too long', maximum: maxLength } })
    } else if (minLength !== undefined && !isLonger(instance, minLength - 1)) {
      this.#add(`should be at least ${minLength} chars long`, instance)
    } else if (matchesPattern !== undefined) {
      if (!matchesPattern(instance, this.#work.match)) this.#add(`should match '${pattern}'`, instance)
    }
  }

  #number(instance: number | RawNumber): void {
    for (const problem of numberProblems(instance, this.#validator.numbers, this.#path)) {
      this.#report(
        'whole' in problem
          ? composite(problem.whole)
          : value(this.#path, problem.about, problem.displayed ?? displayedNumber(instance)),
      )
    }
    this.#result.matches += 2
  }

  #list(instance: readonly JsonValue[]): void {
    const { items, schema } = this.#validator
    if (items !== undefined) {
      for (let i = 0; i < instance.length; i++) {
        const correlation = this.#correlation?.index(i)
        validateAt(items, instance[i] ?? null, `${this.#path}[${i}]`, correlation, this.#work, this.#result)
      }
    }
    const { minItems, maxItems } = schema
    const size = instance.length
    if (minItems !== undefined && size < minItems) this.#add(`should have at least ${minItems} items`, size)
    if (maxItems !== undefined && size > maxItems) {
      const text = `${this.#path} in body should have at most ${maxItems} items`
      this.#report({ path: this.#path, text, kind: { rule: 'too many', actual: size, maximum: maxItems } })
    }
    this.#result.matches += 2
  }

  #object(instance: JsonObject): void {
    const { schema, properties, additional, declared } = this.#validator
    const { minProperties, maxProperties } = schema
    if (minProperties !== undefined || maxProperties !== undefined) this.#count(Object.keys(instance).length)
    if (additional !== undefined) {
      for (const key of Object.keys(instance))
        if (!declared.has(key)) this.#key(additional, key, `${this.#path}.${key}`, instance[key] ?? null)
    } else if (schema.additionalProperties === false) {
      for (const key of Object.keys(instance)) {
        if (declared.has(key)) continue
        const text = `${this.#path}.${key} in body is a forbidden property`
        this.#report(value(this.#path, text, key))
      }
    }
    for (const [key, validator] of properties) {
      const inner = instance[key]
      if (inner === undefined || !Object.hasOwn(instance, key)) continue
      this.#key(validator, key, this.#path === '' ? key : `${this.#path}.${key}`, inner)
    }
    for (const key of schema.required ?? []) {
      if (Object.hasOwn(instance, key)) continue
      const path = `${this.#path}.${key}`
      this.#report({ path, text: `${path} in body is required`, kind: { rule: 'required' } })
    }
  }

  #count(size: number): void {
    const { minProperties, maxProperties } = this.#validator.schema
    if (minProperties !== undefined && size < minProperties) this.#add(`should have at least ${minProperties} properties`, size)
    if (maxProperties === undefined || size <= maxProperties) return
    const text = `${this.#path} in body should have at most ${maxProperties} properties`
    this.#report({ path: this.#path, text, kind: { rule: 'too many', actual: size, maximum: maxProperties } })
  }

  /** kind and apiVersion of the root belong to the request and are not correlated with old values. */
  #key(validator: Validator, key: string, path: string, instance: JsonValue): void {
    const isTypeMeta = this.#path === '' && (key === 'kind' || key === 'apiVersion')
    const correlation = isTypeMeta ? undefined : this.#correlation?.key(key)
    validateAt(validator, instance, path, correlation, this.#work, this.#result)
  }

  #enum(instance: JsonValue): void {
    const { schema, texts } = this.#validator
    const values = schema.enum
    if (values === undefined || values.length === 0) return
    if (isEnumerated(instance, values, texts)) return
    const listed = values.map((allowed) => (typeof allowed === 'string' ? allowed : JSON.stringify(allowed))).join(' ')
    const text = `${this.#path} in body should be one of [${listed}]`
    this.#report({ path: this.#path, text, kind: { rule: 'enum', value: displayedNumber(instance), values } })
  }
}

const formatOfType = (type: string): string => ({ integer: 'int64', number: 'float64' })[type] ?? ''

const wrongFormat = (path: string, format: string, instance: string): Violation => ({
  path,
  text: `${path} in body must be of type ${format}: ${goQuote(instance)}`,
  kind: { rule: 'type', value: instance },
})

/** Whether a text has more than this number of code points. They are counted only if the UTF-16 length does not decide. */
function isLonger(text: string, characters: number): boolean {
  if (text.length <= characters) return false
  if (text.length > characters * 2) return true
  let count = 0
  for (const _ of text) count++
  return count > characters
}

/**
 * Validates a value. If it is unchanged, violations are ignored (ratcheting).
 * @param result takes the violations
 * @throws ApiError 504 if the validation exceeds the work limit
 */
export function validateAt(
  validator: Validator,
  instance: JsonValue,
  path: string,
  correlation: Correlation | undefined,
  work = new SchemaWork(),
  result = new Result(),
): Result {
  const before = result.violations.length
  new Validation(validator, path, correlation, work, result).run(instance)
  if (result.violations.length > before && correlation?.isUnchanged === true) result.forgive(before)
  return result
}
