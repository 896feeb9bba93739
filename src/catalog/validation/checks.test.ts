import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asJson } from '../../meta/field-error.ts'
import { emptyMap } from '../../schema/explicit-empty.ts'
import { collectErrors, isSame, validator } from './checks.ts'

test('an empty list or map equals null in immutability checks, an empty struct does not', () => {
  expect(isSame({ a: [] }, { a: null })).toBe(true)
  expect(isSame({ a: emptyMap }, { a: null })).toBe(true)
  expect(isSame({ a: {} }, { a: null })).toBe(false)
  expect(isSame({ a: ['x'] }, { a: null })).toBe(false)
})

test('immutability checks compare members with their order, absent members and numbers as JSON has them', () => {
  expect(isSame({ a: 1, b: [{ c: 'x' }] }, { a: 1, b: [{ c: 'x' }] })).toBe(true)
  expect(isSame({ a: 1, b: undefined }, { a: 1 })).toBe(true)
  expect(isSame({ a: null }, {})).toBe(false)
  expect(isSame([1, 2], [1])).toBe(false)
  expect(isSame([], {})).toBe(false)
  expect(isSame({ a: asJson('1') }, { a: '1' })).toBe(true)
  expect(isSame({ a: asJson('1') }, { a: asJson('2') })).toBe(false)
})

test('immutability checks find what a comparison of texts finds', () => {
  const texts = (value: unknown): readonly [string, string] => [
    JSON.stringify(value),
    JSON.stringify(value, (_key, part: unknown) =>
      part === emptyMap || (Array.isArray(part) && part.length === 0) ? null : part,
    ),
  ]
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, 1, 'a', emptyMap),
      fc.array(tie('any'), { maxLength: 2 }),
      tie('object'),
    ),
    object: fc.record({ a: tie('any'), b: tie('any') }, { requiredKeys: [] }),
  })).any
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [[left, leftEmpty], [right, rightEmpty]] = [texts(a), texts(b)]
      expect(isSame(a, b)).toBe(left === right || leftEmpty === rightEmpty)
    }),
    { numRuns: 1000 },
  )
})

describe('an object with a million errors', () => {
  const million = 1_000_000

  test('is not validated further than a Status reports', () => {
    let checked = 0
    const errors = collectErrors((found) => {
      for (; checked < million; checked++) found.required(`spec.items[${checked}]`)
    })
    expect(errors).toHaveLength(10_000)
    expect(checked).toBe(10_000)
    expect(errors.at(-1)).toMatchObject({ field: 'spec.items[9999]' })
  })

  test('has the errors before those of a part with too many', () => {
    const part = validator((errors) => {
      for (let index = 0; index < million; index++) errors.required(`spec.part[${index}]`)
    })
    const errors = collectErrors((found) => {
      found.required('spec.first')
      found.push(...part())
    })
    expect(errors).toHaveLength(10_000)
    expect(errors.slice(0, 2).map(({ field }) => field)).toEqual(['spec.first', 'spec.part[0]'])
  })

  test('reports a single error of any length, and not many of them', () => {
    const long = 'x'.repeat(5 * 2 ** 20)
    expect(collectErrors((errors) => errors.required(long))).toHaveLength(1)
    expect(
      collectErrors((errors) => {
        for (const _each of [1, 2, 3]) errors.required(long)
      }),
    ).toHaveLength(1)
  })
})
