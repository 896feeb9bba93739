import { expect, it } from 'vitest'
import type { JsonSchema } from '../../../src/crd/json-schema.ts'
import { compileRules, selfType } from '../../../src/crd/rules/compile-rule.ts'
import { generatedRules } from './generate.ts'
import { schemaOf } from './samples.ts'

const seed = 20

it('makes the same CEL rules from the same seed', () => {
  expect(generatedRules(['self'], 50, seed)).toEqual(generatedRules(['self'], 50, seed))
  expect(generatedRules(['self'], 50, seed)).not.toEqual(generatedRules(['self'], 50, seed + 1))
})

it('makes valid and invalid CEL rules, all of which compile to a result or an error', () => {
  const { properties } = schemaOf('bounded', []) as JsonSchema
  const declared = properties?.spec === undefined ? undefined : selfType(properties.spec, false)
  if (declared === undefined) throw new Error('the schema declares nothing')
  const rules = generatedRules(['self', 'oldSelf'], 400, seed)
  const wrong = compileRules(rules, declared).filter(({ expression, message }) =>
    [expression, message].some((each) => each !== undefined && 'error' in each),
  )
  expect(wrong.length / rules.length).toBeGreaterThan(0.1)
  expect(wrong.length / rules.length).toBeLessThan(0.5)
})
