import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { compileRegexp, Regexp } from './regexp.ts'

class LimitExceeded extends Error {}

/** Returns a counter that allows so many steps. */
function limit(most: number): (steps: number) => void {
  let left = most
  return (steps) => {
    left -= steps
    if (left < 0) throw new LimitExceeded()
  }
}
const ample = limit(Number.POSITIVE_INFINITY)

function regexp(text: string): Regexp {
  const compiled = compileRegexp(text)
  if ('error' in compiled) throw new Error(compiled.error)
  return compiled
}

/** Returns the matches that re2js finds, with those that Go skips: the empty ones directly after another match. */
function matchesOf(expression: string, text: string): string[] {
  const matcher = RE2JS.compile(expression).matcher(text)
  const matches: string[] = []
  for (let last = -1; matcher.find(); last = matcher.end()) {
    if (matcher.end() > matcher.start() || matcher.start() !== last) matches.push(matcher.group() ?? '')
  }
  return matches
}

const expressions = fc.letrec<{ atom: string; term: string; expression: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(
      'a',
      'b',
      '.',
      '[^a]',
      '[a-c]',
      '\\w',
      '\\d',
      'é',
      '\u{1f600}',
      '(?i:A)',
      '^',
      '$',
      '\\b',
      '\\B',
      '\\z',
      '(?m:^)',
      '(?m:$)',
    ),
    fc.tuple(fc.constantFrom('(', '(?:'), tie('expression')).map(([open, inner]) => `${open}${inner})`),
  ),
  term: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,3}', '{0,2}?', '{2,}'))
    .map(([atom, repetition]) => atom + repetition),
  expression: fc
    .array(fc.oneof({ weight: 4, arbitrary: tie('term') }, { weight: 1, arbitrary: fc.constant('|') }), { maxLength: 5 })
    .map((terms) => terms.join('')),
})).expression
const texts = fc.array(fc.constantFrom('a', 'a', 'b', 'c', 'A', '1', ' ', '\n', 'é', '\u{1f600}')).map((parts) => parts.join(''))

describe('regular expressions', () => {
  test('have the matches of RE2', () => {
    fc.assert(
      fc.property(expressions, texts, (expression, text) => {
        const compiled = compileRegexp(expression)
        if ('error' in compiled) return
        const expected = matchesOf(expression, text)
        expect(compiled.findAll(text, -1, ample)).toEqual(expected)
        expect(compiled.test(text, ample)).toBe(RE2JS.compile(expression).test(text))
        expect(compiled.find(text, ample)).toBe(expected[0] ?? '')
      }),
      { numRuns: 2000 },
    )
  })

  test('match a text that needs too many states like any other', () => {
    const text = Array.from({ length: 3000 }, (_none, i) => (((i * 7919) >> 3) % 3 === 0 ? 'b' : 'a')).join('')
    const expression = '[ab]*a[ab]{12}c'
    expect(regexp(expression).test(text, ample)).toBe(false)
    expect(regexp(expression).test(`${text}c`, ample)).toBe(RE2JS.compile(expression).test(`${text}c`))
  })

  test.each(['.{1,999}z', '(?:.{0,500}[^q]){0,1}'.repeat(20), '[ab]*a[ab]{900}c'])(
    'end with the limit of %.25s on a long text',
    (expression) => {
      const text = 'aab'.repeat(300_000)
      const compiled = regexp(`${expression}\\d`)
      expect(() => compiled.test(text, limit(10_000_000))).toThrow(LimitExceeded)
      expect(() => compiled.find(text, limit(10_000_000))).toThrow(LimitExceeded)
    },
  )

  test('cost one step for each character of a long text, whatever its matches are', () => {
    const text = 'a1b2-c3.'.repeat(100_000)
    for (const expression of ['^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$', '^[^\\s]{1,63}$|x', '(?:[a-z]+\\d+[-.]?)*!$', '[0-9]+x']) {
      const compiled = regexp(expression)
      compiled.test(text.slice(0, 100), ample)
      expect(() => compiled.test(text, limit(1.1 * text.length + 10_000)), expression).not.toThrow()
    }
  })

  test.each([
    ['of 10,001 characters', 'a'.repeat(10_001)],
    ['of 100,000 repeated parts', `(?:${'x'.repeat(100)}){1000}`],
    ['of many nested repetitions', '(?:(?:[^a]{0,10}b){0,10}c){0,10}d'.repeat(280)],
  ])('are too large if they are %s', (_what, expression) => {
    expect(compileRegexp(expression)).toEqual({ error: 'error parsing regexp: expression too large' })
  })

  test('may be as large as a thousand repetitions of fifty characters', () => {
    expect(regexp(`^(?:[a-z]\\p{Greek}\\x{41}${'x'.repeat(40)}){1000}$`)).toBeInstanceOf(Regexp)
  })
})

test.each([
  ['((((a{100}){100}){100}){100})', 'error parsing regexp: invalid repeat count: `{100}`'],
  ['x{2}{3}{1000}{1000}', 'error parsing regexp: invalid nested repetition operator: `{2}{3}`'],
])('the regular expression %s is refused with the message of Go, however large it would be', (expression, error) => {
  expect(compileRegexp(expression)).toEqual({ error })
})
