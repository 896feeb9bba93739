import { expect, test } from 'vitest'
import { equals } from './compare.ts'
import { compile } from './compile.ts'
import { CASES, type ConformanceCase } from './conformance.fixture.ts'
import { isSameType } from './types.ts'
import { CelError, Double, typeNameOf, type Value } from './value.ts'

/** Known failures with their reasons. A case that no longer fails must be removed. */
const LEDGER: Readonly<Record<string, string>> = {
  'fields / qualified_identifier_resolution / map_value_repeat_key': 'as cel-go in Kubernetes: the last entry of a key counts',
  'fields / qualified_identifier_resolution / map_value_repeat_key_heterogeneous':
    'as cel-go in Kubernetes: the last entry of a key counts',
  'optionals / optionals / map_null_entry_no_such_key': 'as cel-go in Kubernetes: a field of null is missing',
  'optionals / optionals / map_present_key_invalid_field': 'as cel-go in Kubernetes: a field of a number is missing',
  'string_ext / value_errors / indexof_out_of_range': 'as cel-go in Kubernetes: nothing is found beyond the end',
  'string_ext / value_errors / lastindexof_out_of_range': 'as cel-go in Kubernetes: nothing is found beyond the end',
  'type_deductions / legacy_nullable_types / null_assignable_to_abstract_parameter_candidate':
    'as cel-go in Kubernetes: an optional value beside null makes the list dynamic',
}

const isSame = (a: Value, b: Value): boolean => {
  if (a instanceof Double && b instanceof Double && Number.isNaN(a.value)) return Number.isNaN(b.value)
  return typeNameOf(a) === typeNameOf(b) && equals(a, b) === true
}

function passes({ expression, environment, variables, value, type }: ConformanceCase): boolean {
  const compiled = compile(expression, environment)
  if (compiled.kind === 'issues') return value === 'error'
  if (type !== undefined && !isSameType(type, compiled.expression.type, 'equivalent')) return false
  if (value === 'unasked') return true
  const program = compiled.expression.plan()
  if (program instanceof CelError) return value === 'error'
  const result = program.evaluate(variables, Number.POSITIVE_INFINITY).value
  return value === 'error' ? result instanceof CelError : isSame(value, result)
}

test('the conformance cases of cel-spec pass, except those in the ledger', () => {
  const failing = CASES.filter((each) => !passes(each)).map(({ name }) => name)
  expect(failing).toEqual(CASES.map(({ name }) => name).filter((name) => name in LEDGER))
})

test('the ledger holds less than 1 % of the conformance cases', () => {
  expect(CASES.length).toBeGreaterThan(1000)
  expect(Object.keys(LEDGER).length).toBeLessThan(CASES.length / 100)
})
