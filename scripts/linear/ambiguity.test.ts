import { describe, expect, test } from 'vitest'
import { superlinear } from './ambiguity.ts'

const problemOf = ({ source, flags }: RegExp): string => superlinear(source, flags)?.split(':')[0] ?? 'linear'

describe('a regular expression is not linear', () => {
  test.each([
    ['in the search for its place', 'quadratic', [/a+$/, /\s+$/, /(\d+)px/g, /"(?:[^"\\]|\\.)*"/g, /x*y*z/, /^\s*[^#\s]/m]],
    ['with two loops over the same text', 'quadratic', [/^\d+\.?\d*$/, /^a*b?a*$/, /^(.*),(.*);$/s, /^[\w:]*:[\w:]*$/]],
    ['with a loop over several characters', 'quadratic', [/(?:ab)+$/, /^(?:ab)*(?:abab)*$/]],
    ['with loops in loops', 'exponential', [/^(a+)+$/, /^(?:a|a)*$/, /^(?:a*)*b/, /^(?:\w+\s?)*$/, /^(?:a|aa)+$/]],
    ['with a count that is as bad as no bound', 'quadratic', [/\d{309}x/, /.{0,500}z/, /\d{309}/]],
    ['in a lookaround', 'quadratic', [/\B(?=(?:\d{3})+$)/g, /^\w+(?=.*x)/, /(?<=a+$)b/]],
    ['with a backreference', 'quadratic', [/-----BEGIN ([^-\n]*)-----\r?\n[\s\S]*?-----END \1-----/g]],
  ])('%s: %s', (_where, growth, expressions) => {
    expect(expressions.map((expression) => [expression, problemOf(expression)])).toEqual(
      expressions.map((expression) => [expression, growth]),
    )
  })
})

test('a regular expression is linear if its loops cannot be confused, or if it cannot fail behind them', () => {
  const linear = [
    /a+/g,
    /^a+$/,
    /^\d+(?:\.\d*)?$/,
    /a+$/y,
    /^([^:]*):(.*)$/s,
    /^[+-]?0*(\d*)(.*)$/s,
    /(\d+)(?:\s*([a-z]+))?/g,
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    /^(?:[^"\\]|\\.)*$/s,
    /^(?:a?b?)*$/,
    /^(.*),(.*)$/s,
    /(?:^|,)\s*close/,
    /^::ffff:(?=[\d.]+$)/,
    /\d{16}|\d{1,15}e/,
    /^[ \t]*#/m,
    /-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g,
  ]
  expect(linear.filter((expression) => problemOf(expression) !== 'linear')).toEqual([])
})
