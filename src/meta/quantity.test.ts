import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinear } from '../../test/linear.ts'
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  roundUpQuantity,
  scaledQuantityValue,
  subtractQuantities,
} from './quantity.ts'

const CANONICAL: readonly (readonly [string, string])[] = [
  ['0', '0'],
  ['500m', '500m'],
  ['0.5', '500m'],
  ['1.0', '1'],
  ['1000', '1k'],
  ['1500m', '1500m'],
  ['-1.5', '-1500m'],
  ['1Gi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['1024Ki', '1Mi'],
  ['1024', '1024'],
  ['0.1Ki', '102400m'],
  ['512Ki', '512Ki'],
  ['1e3', '1e3'],
  ['1E6', '1E6'],
  ['1000e3', '1e6'],
  ['12e4', '120e3'],
  ['0.1n', '1n'],
  ['-0.1n', '-1n'],
  ['9999999999.1n', '10'],
  ['9Ei', '9223372036854775807'],
  ['100000000000000000000', '100E'],
  [' 5\n', '5'],
  // Texts that upstream keeps or changes against its own documentation.
  ['1.500', '1.500'],
  ['+5', '+5'],
  ['01Gi', '01Gi'],
  ['1000E', '1'],
  ['m', '0'],
  ['-', '0'],
]

describe('canonicalQuantity', () => {
  test.each(CANONICAL)('%j is canonically %j', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical)
    expect(canonicalQuantity(text)).toBe(canonical)
  })

  test.each([
    ['', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1 Gi', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1.2.3', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['five', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1K', "unable to parse quantity's suffix"],
    ['1e', "unable to parse quantity's suffix"],
    ['1e9223372036854775808', "unable to parse quantity's suffix"],
    ['Ei', 'unable to parse numeric part of quantity'],
  ])('%j is not a quantity', (text, message) => {
    expect(() => canonicalQuantity(text)).toThrow(new Error(message))
  })

  test('a quantity with millions of digits is parsed in linear time', () => {
    const texts = (digits: string): string[] => [
      digits,
      `${digits}Gi`,
      `0.${digits}Ei`,
      `1e-${digits.replaceAll('9', '0')}9`,
      `${digits}x`,
    ]
    expectLinear((size) => {
      const hostile = [...texts('9'.repeat(size)), '1e2000000000', '1e-2000000000']
      return () => {
        for (const text of hostile) {
          try {
            canonicalQuantity(text)
          } catch {
            // An error is a valid result too.
          }
        }
      }
    }, 250_000)
  })
})

const suffixes = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'e3', 'e-6']
const quantities = fc
  .tuple(fc.integer({ min: -99999, max: 99999 }), fc.integer({ min: 0, max: 999 }), fc.constantFrom(...suffixes))
  .map(([whole, fraction, suffix]) => `${whole}.${fraction}${suffix}`)

describe('quantity arithmetic', () => {
  test.each([
    ['1Gi', '1024Mi', 0],
    ['1', '999m', 1],
    ['-1', '1', -1],
    ['-2', '-1', -1],
    ['0', '-0', 0],
    ['1e2000000000', '1', 1],
    ['1000Ki', '1Mi', -1],
  ])('compare %s with %s: %d', (a, b, order) => {
    expect(compareQuantities(a, b)).toBe(order)
  })

  test.each([
    ['100m', '1', '1100m'],
    ['1Gi', '1Gi', '2Gi'],
    ['0', '1Gi', '1Gi'],
    ['1Gi', '1', '1073741825'],
    ['1', '-1', '0'],
    ['1e2000000000', '1', '100e1999999998'],
  ])('%s + %s = %s', (a, b, sum) => {
    expect(addQuantities(a, b)).toBe(sum)
  })

  test('the canonical text is the same quantity and does not change again', () => {
    fc.assert(
      fc.property(quantities, (text) => {
        const canonical = formatQuantity({ ...parseQuantity(text), text: undefined } as never)
        expect(compareQuantities(canonical, text)).toBe(0)
        expect(canonicalQuantity(canonical)).toBe(canonical)
      }),
    )
  })

  test('(a + b) - b = a', () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        // Reading caps a quantity with a binary suffix at the largest int64, as upstream does: a larger sum is read as that.
        const sum = addQuantities(a, b)
        fc.pre(compareQuantities(sum, '9223372036854775807') < 0 && compareQuantities(sum, '-9223372036854775807') > 0)
        expect(compareQuantities(subtractQuantities(addQuantities(a, b), b), a)).toBe(0)
        expect(compareQuantities(a, b)).toBe(0 - compareQuantities(b, a) || 0)
      }),
    )
  })

  test('quantities are rounded away from zero', () => {
    expect(roundUpQuantity('1.0001', -3)).toBe('1001m')
    expect(roundUpQuantity('-1.0001', -3)).toBe('-1001m')
    expect(roundUpQuantity('1.5Gi', -3)).toBe('1536Mi')
    expect(scaledQuantityValue('1500m', 0)).toBe(2n)
    expect(scaledQuantityValue('1.5', -3)).toBe(1500n)
  })

  test('the value of a quantity beyond int64 overflows as in Quantity.Value', () => {
    expect(scaledQuantityValue('9E', 0)).toBe(9_000_000_000_000_000_000n)
    expect(scaledQuantityValue('9E', -3)).toBe(0n)
    expect(scaledQuantityValue('18E', 0)).toBe(0n)
    expect(scaledQuantityValue('1e30', 0)).toBe(0n)
    expect(scaledQuantityValue('18446744073709551617', 0)).toBe(1n)
    expect(scaledQuantityValue('-18446744073709551617', 0)).toBe(-1n)
  })
})
