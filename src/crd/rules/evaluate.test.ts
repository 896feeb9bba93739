import { expect, test } from 'vitest'
import type { JsonValue } from '../../go/json-value.ts'
import type { JsonSchema, ValidationRule } from '../json-schema.ts'
import { Correlation } from '../schema/correlation.ts'
import { nodeOf } from '../schema/node.ts'
import { evaluateRules, type RuleFindings } from './evaluate.ts'
import { ruleTreeOf } from './rule-tree.ts'

const schemaWith = (rules: readonly ValidationRule[], properties: Record<string, JsonSchema> = {}): JsonSchema => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { n: { type: 'integer' }, s: { type: 'string' }, ...properties },
      'x-kubernetes-validations': rules,
    },
  },
})

function find(schema: JsonSchema, spec: JsonValue, old?: JsonValue): RuleFindings {
  const value = { spec }
  const before = old === undefined ? undefined : { spec: old }
  const correlation = before === undefined ? undefined : new Correlation(value, before, nodeOf(schema))
  return evaluateRules(ruleTreeOf(schema, true), value, before, '', correlation)
}

const errorTexts = ({ errors }: RuleFindings): string[] => errors.map(({ field, text }) => `${field}: ${text}`)

test('a failed rule reports its message, or the rule itself', () => {
  expect(errorTexts(find(schemaWith([{ rule: 'self.n > 1' }]), { n: 1 }))).toEqual([
    'spec: Invalid value: failed rule: self.n > 1',
  ])
  const rule = {
    rule: 'self.n > 1',
    messageExpression: '"n is " + string(self.n)',
    fieldPath: '.n',
    reason: 'FieldValueForbidden',
  }
  expect(errorTexts(find(schemaWith([rule]), { n: 1 }))).toEqual(['spec.n: Forbidden: n is 1'])
})

test('transition rules are evaluated for updates only, unless optionalOldSelf is set', () => {
  const grows = schemaWith([{ rule: 'self.n >= oldSelf.n', message: 'must not shrink' }])
  expect(errorTexts(find(grows, { n: 1 }))).toEqual([])
  expect(errorTexts(find(grows, { n: 1 }, { n: 2 }))).toEqual(['spec: Invalid value: must not shrink'])
  const optional = schemaWith([{ rule: 'oldSelf.hasValue() || self.n == 0', optionalOldSelf: true, message: 'begins at 0' }])
  expect(errorTexts(find(optional, { n: 1 }))).toEqual(['spec: Invalid value: begins at 0'])
  expect(errorTexts(find(optional, { n: 1 }, { n: 0 }))).toEqual([])
})

test('ratcheting: a failed rule on an unchanged value is a warning', () => {
  const schema = schemaWith([{ rule: 'self.n > 1', message: 'too few' }])
  const { errors, warnings } = find(schema, { n: 1 }, { n: 1 })
  expect(errors).toEqual([])
  expect(warnings).toEqual(['spec: Invalid value: too few'])
})

test('a rule that fails to evaluate is an error, and exceeding the cost limit stops the evaluation', () => {
  expect(errorTexts(find(schemaWith([{ rule: '1 / self.n > 0' }]), { n: 0 }))).toEqual([
    'spec: Invalid value: "object": division by zero evaluating rule: 1 / self.n > 0',
  ])
  const list: JsonSchema = { type: 'array', items: { type: 'integer' } }
  const dear = schemaWith([{ rule: 'self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))' }], { l: list })
  const [error = ''] = errorTexts(find(dear, { l: Array.from({ length: 300 }, (_, i) => i) }))
  expect(error).toContain('actual cost limit exceeded')
})
