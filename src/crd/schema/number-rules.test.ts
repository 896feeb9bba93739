import { expect, test } from 'vitest'
import { parseJson } from '../../go/json.ts'
import type { RawNumber } from '../../go/json-value.ts'
import { type NumberRules, numberProblems } from './number-rules.ts'

/** Parses a number as it is decoded in a custom resource. */
const numberIn = (text: string): RawNumber => parseJson(text, 'unstructured') as unknown as RawNumber

const problemTexts = (instance: number | string, rules: Partial<NumberRules>): string[] =>
  numberProblems(
    typeof instance === 'string' ? numberIn(instance) : instance,
    { type: 'integer', format: '', ...rules },
    'spec.n',
  ).map((problem) => ('whole' in problem ? problem.whole : problem.about))

test.each([
  [4294967295, { multipleOf: 2 }, ['spec.n in body should be a multiple of 2']],
  ['9223372036854775807', { multipleOf: 2 }, ['spec.n in body should be a multiple of 2']],
  ['-9223372036854775808', { multipleOf: 2 }, []],
  [0, { multipleOf: 0 }, ['factor MultipleOf declared for spec.n must be positive: 0']],
  [3, { type: 'number', multipleOf: 0.1 }, ['factor MultipleOf declared for spec.n must be positive: 0']],
  [0.3, { type: 'number', multipleOf: 0.1 }, []],
  ['3.0', { type: 'number', multipleOf: 0.1 }, []],
  ['3e0', { multipleOf: 2 }, ['spec.n in body should be a multiple of 2']],
  ['1e19', {}, ['Checked value must be of type integer (default format) in spec.n']],
  [0.35, { type: 'number', multipleOf: 0.1 }, ['spec.n in body should be a multiple of 0.1']],
  [1, { multipleOf: 0.1 }, ['MultipleOf value must be of type integer (default format) in spec.n']],
  [1, { type: 'number', maximum: 1.5, exclusiveMaximum: true }, ['spec.n in body should be less than 1']],
  [1.5, { type: 'number', maximum: 1.5, exclusiveMaximum: true }, ['spec.n in body should be less than 1.5']],
  [1, { maximum: 2 ** 63 }, ['Maximum boundary value must be of type integer (default format) in spec.n']],
  [2147483648, { format: 'int32' }, ['Checked value must be of type integer with format int32 in spec.n']],
  [-1, { format: 'uint32' }, ['Checked value must be of type integer with format uint32 in spec.n']],
  [-1, { format: 'uint64' }, ['Checked value must be of type integer with format uint64 in spec.n']],
  [4294967295, { format: 'uint32' }, []],
  [-2147483648, { format: 'int32' }, []],
  [5, { maximum: 5, exclusiveMaximum: true }, ['spec.n in body should be less than 5']],
  ['9007199254740993', { maximum: 9007199254740992 }, ['spec.n in body should be less than or equal to 9007199254740992']],
  [-(2 ** 63), {}, ['Checked value must be of type integer (default format) in spec.n']],
  ['-9223372036854775808', {}, []],
  [3.4028235e38, { type: 'number', format: 'float' }, []],
  [3.5e38, { type: 'number', format: 'float' }, ['Checked value must be of type number with format float in spec.n']],
  [
    0,
    { minimum: 1, maximum: -1 },
    ['spec.n in body should be greater than or equal to 1', 'spec.n in body should be less than or equal to -1'],
  ],
])('number validation of %s with %j', (instance, rules, problems) => {
  expect(problemTexts(instance, rules)).toEqual(problems)
})
