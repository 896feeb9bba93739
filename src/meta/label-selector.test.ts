import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatLabelSelector, parseLabelSelector } from './label-selector.ts'

const canonical = (text: string): string => formatLabelSelector(parseLabelSelector(text))

describe('parseLabelSelector', () => {
  test.each([
    ['', ''],
    ['a', 'a'],
    ['!a', '!a'],
    ['b=1 , a==2', 'a==2,b=1'],
    ['a!=', 'a!='],
    ['x in (c,,a,a)', 'x in (,a,c)'],
    ['x notin()', 'x notin ()'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['a>5,b<6', 'a>5,b<6'],
    ['a=b,', undefined],
  ])('parses %j as %j', (text, expected) => {
    if (expected === undefined) expect(() => canonical(text)).toThrow("found '', expected: identifier after ','")
    else expect(canonical(text)).toBe(expected)
  })

  test.each([
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    [
      'a>5x',
      "unable to parse requirement: values[0]: Invalid value: \"5x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])('rejects %j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new Error(message))
  })

  test('rejects invalid label keys and values', () => {
    expect(() => parseLabelSelector('++')).toThrow(
      'unable to parse requirement: <nil>: Invalid value: "++": name part must consist of',
    )
    expect(() => parseLabelSelector('a in (-b,c_)')).toThrow(
      /\[values\[0\]\[a\]: Invalid value: "-b": .*, values\[1\]\[a\]: Invalid value: "c_"/,
    )
  })
})

describe('label selector matching', () => {
  test.each([
    ['', undefined, true],
    ['a=1', { a: '1' }, true],
    ['a=1', { a: '2' }, false],
    ['a=1', undefined, false],
    ['a!=1', { b: '1' }, true],
    ['a!=1', { a: '1' }, false],
    ['a in (1,2)', { a: '2' }, true],
    ['a notin (1,2)', { a: '2' }, false],
    ['a notin (1,2)', {}, true],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a=', { b: '' }, false],
    ['a>5', { a: '10' }, true],
    ['a>5', { a: 'x' }, false],
    ['a<9007199254740993', { a: '9007199254740992' }, true],
    ['a>5', {}, false],
    ['toString', {}, false],
    ['a=1,b=2', { a: '1', b: '3' }, false],
  ])('%j of %j is %s', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected)
  })
})

const value = fc.stringMatching(/^([A-Za-z0-9]{1,3})?$/)
const requirement = fc
  .tuple(
    fc.constantFrom('a', 'b', 'x/y'),
    fc.constantFrom('=', '==', '!=', ' in ', ' notin ', ''),
    fc.array(value, { minLength: 1 }),
  )
  .map(([key, operator, values]) => {
    if (operator === '') return key
    return operator.startsWith(' ') ? `${key}${operator}(${values.join(',')})` : `${key}${operator}${values[0]}`
  })

test('the canonical text selects the same objects', () => {
  const labels = fc.dictionary(fc.constantFrom('a', 'b', 'x/y'), value)
  fc.assert(
    fc.property(fc.array(requirement), labels, (requirements, labelsOfObject) => {
      const text = requirements.join(',')
      const again = canonical(text)
      expect(canonical(again)).toBe(again)
      expect(parseLabelSelector(again).matches(labelsOfObject)).toBe(parseLabelSelector(text).matches(labelsOfObject))
    }),
  )
})

test('every text is either parsed or rejected with an error', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'in', 'notin', '(', ')', ',', '=', '!', '>', '<', ' ', '\0', 'é')), (parts) => {
      try {
        parseLabelSelector(parts.join(''))
      } catch (error) {
        expect((error as Error).message).toMatch(/^(unable to parse requirement: .*|found '.*', expected: .*)$/s)
      }
    }),
  )
})
