/** Compares schema validation with ajv, an independent implementation of JSON Schema without kube-openapi's special cases. */
import { Ajv } from 'ajv'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../go/json-value.ts'
import type { JsonSchema } from '../json-schema.ts'
import { validateAt, validatorOf } from './validate.ts'

const names = ['a', 'b', 'c'] as const
const smallInteger = fc.integer({ min: -3, max: 6 })
const texts = fc.constantFrom('', 'a', 'ab', 'abc', '😀', 'a😀')

const numberSchema = fc.record(
  {
    type: fc.constantFrom('integer', 'number'),
    minimum: smallInteger,
    maximum: smallInteger,
    exclusiveMinimum: fc.boolean(),
    exclusiveMaximum: fc.boolean(),
    multipleOf: fc.integer({ min: 1, max: 3 }),
    enum: fc.uniqueArray(smallInteger, { minLength: 1, maxLength: 3 }),
    nullable: fc.boolean(),
  },
  { requiredKeys: ['type'] },
)

const textSchema = fc.record(
  {
    type: fc.constant('string'),
    minLength: fc.nat(3),
    maxLength: fc.nat(3),
    pattern: fc.constantFrom('^a', 'b$', '^a*$', '.'),
    enum: fc.uniqueArray(texts, { minLength: 1, maxLength: 3 }),
    nullable: fc.boolean(),
  },
  { requiredKeys: ['type'] },
)

const { schema: schemas } = fc.letrec<{ schema: JsonSchema; bare: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'schema' },
    numberSchema as fc.Arbitrary<JsonSchema>,
    textSchema as fc.Arbitrary<JsonSchema>,
    fc.record({ type: fc.constant('boolean') }),
    fc.record(
      {
        type: fc.constant('array'),
        items: tie('schema'),
        minItems: fc.nat(2),
        maxItems: fc.nat(3),
        allOf: fc.array(tie('bare'), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: ['type', 'items'] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom(...names), tie('schema'), { maxKeys: 3 }),
        required: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
        additionalProperties: tie('schema'),
        minProperties: fc.nat(2),
        maxProperties: fc.nat(3),
        anyOf: fc.array(tie('bare'), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie('bare'), { minLength: 1, maxLength: 2 }),
        not: tie('bare'),
      },
      { requiredKeys: ['type'] },
    ),
  ),
  // A structural schema has no types within allOf, anyOf, oneOf and not.
  bare: fc.record(
    {
      required: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 }),
      minProperties: fc.nat(2),
      maxItems: fc.nat(2),
      properties: fc.dictionary(
        fc.constantFrom(...names),
        fc.record({ minimum: smallInteger, maxLength: fc.nat(2), minItems: fc.nat(2) }, { requiredKeys: [] }),
        { maxKeys: 2 },
      ),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonSchema>,
}))

const { value: values } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    smallInteger,
    fc.constantFrom(0.5, 1.5),
    texts,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names, 'd'), tie('value'), { maxKeys: 3 }),
  ),
}))

/** Converts a schema for ajv: exclusive bounds are flags in the JSON Schema draft that Kubernetes uses. */
function ofToday(schema: JsonSchema): Record<string, unknown> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema
  const bounds = {
    ...(minimum !== undefined && { [exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum']: minimum }),
    ...(maximum !== undefined && { [exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum']: maximum }),
  }
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner)
    return typeof value === 'object' && value !== null ? ofToday(value as JsonSchema) : value
  }
  const { properties, enum: choices, ...others } = rest
  return {
    ...Object.fromEntries(Object.entries(others).map(([key, value]) => [key, inner(value)])),
    ...bounds,
    ...(choices !== undefined && { enum: choices }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, ofToday(value)])),
    }),
  }
}

const hasNull = (value: JsonValue): boolean => JSON.stringify(value).includes('null')
const hasFraction = (value: JsonValue): boolean => /\d\.\d/.test(JSON.stringify(value))
const hasEnum = (schema: JsonSchema): boolean => JSON.stringify(schema).includes('"enum":')
const hasBare = (schema: JsonSchema): boolean => /"(?:allOf|anyOf|oneOf|not)":/.test(JSON.stringify(schema))

test('schema validation accepts the same values as ajv, except for special cases of kube-openapi', () => {
  const ajv = new Ajv({ strict: false, allErrors: false })
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      // kube-openapi refuses null in a schema without a type, and converts a number to the type of the enum's values first.
      fc.pre(!(hasNull(value) && hasBare(schema)) && !(hasFraction(value) && hasEnum(schema)))
      const own = validateAt(validatorOf(schema), value, '', undefined).violations.length === 0
      expect({ schema, value, valid: own }).toEqual({ schema, value, valid: ajv.validate(ofToday(schema), value) })
      ajv.removeSchema()
    }),
    { numRuns: 700 },
  )
})
