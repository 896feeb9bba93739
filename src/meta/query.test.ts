import { describe, expect, test } from 'vitest'
import { parseQuery, queryBoolean, queryInteger, queryText } from './query.ts'

test("malformed query parameters are dropped, as by Go's url.ParseQuery", () => {
  const query = parseQuery('?limit=%zz&continue=a;b&resourceVersion=%4&a=%3Bb+c&&a=d')
  expect([...query]).toEqual([
    ['a', ';b c'],
    ['a', 'd'],
  ])
})

test('the first value of a repeated query parameter is used', () => {
  const query = parseQuery('a=1&a=x')
  expect(queryText(query, 'a')).toBe('1')
  expect(queryText(query, 'b')).toBe('')
  expect(queryInteger(query, 'a')).toBe(1)
  expect(queryInteger(query, 'b')).toBeUndefined()
})

describe('boolean query parameters', () => {
  test.each([
    ['a=1', true],
    ['a=', true],
    ['a', true],
    ['a=no', true],
    ['a=0', false],
    ['a=False', false],
    ['b=1', undefined],
  ])('queryBoolean: %s', (query, value) => {
    expect(queryBoolean(parseQuery(query), 'a')).toBe(value)
  })
})

test('400 BadRequest for an integer parameter that is not a number', () => {
  const message = 'strconv.ParseInt: parsing "1e3": invalid syntax'
  expect(() => queryInteger(parseQuery('a=1e3'), 'a')).toThrow(expect.objectContaining({ code: 400, message }))
})
