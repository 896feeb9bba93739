import { expect, test } from 'vitest'
import {
  aggregate,
  asJson,
  causeOf,
  duplicate,
  forbiddenValue,
  internalFieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooLongCharacters,
  tooMany,
  tooShort,
  typeInvalid,
  valueNotFound,
} from './field-error.ts'

test.each([
  [required('f'), 'Required value'],
  [required('f', 'why'), 'Required value: why'],
  [invalidValue('f', 'a<\x07"', 'why'), 'Invalid value: "a<\\a\\"": why'],
  [invalidValue('f', asJson('a<'), 'why'), 'Invalid value: "a\\u003c": why'],
  [invalidValue('f', { a: '<&>\u2028' }, ''), 'Invalid value: {"a":"\\u003c\\u0026\\u003e\\u2028"}'],
  [invalidValue('f', undefined, 'why'), 'Invalid value: null: why'],
  [invalidValue('f', -1, 'why'), 'Invalid value: -1: why'],
  [typeInvalid('f', 1, 'why'), 'Invalid value: 1: why'],
  [forbiddenValue('f', 'why'), 'Forbidden: why'],
  [duplicate('f', 'a'), 'Duplicate value: "a"'],
  [valueNotFound('f', 'a'), 'Not found: "a"'],
  [notSupported('f', 'a', ['b', '']), 'Unsupported value: "a": supported values: "b", ""'],
  [notSupported('f', 'a', []), 'Unsupported value: "a"'],
  [tooLong('f', 1), 'Too long: may not be more than 1 byte'],
  [tooLong('f', 2), 'Too long: may not be more than 2 bytes'],
  [tooLongCharacters('f', 2), 'Too long: may not be more than 2 characters'],
  [tooShort('f', 1), 'Too short: must be at least 1 character'],
  [tooMany('f', 3, 1), 'Too many: 3: must have at most 1 item'],
  [internalFieldError('f', 'why'), 'Internal error: why'],
])('field error text: %o', (error, text) => {
  expect(error.text).toBe(text)
  expect(causeOf(error)).toEqual({ reason: error.reason, message: text, field: 'f' })
})

test('aggregate puts several errors in brackets and drops duplicates', () => {
  expect(aggregate([required('a')])).toBe('a: Required value')
  expect(aggregate([required('a'), required('a')])).toBe('a: Required value')
  expect(aggregate([required('a'), required('b'), required('a')])).toBe('[a: Required value, b: Required value]')
})
