import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinear } from '../../test/linear.ts'
import {
  generateName,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegmentName,
  isQualifiedName,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsPathSegment,
} from './names.ts'

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const KEY =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

describe('DNS names and path segments', () => {
  test.each(['a', 'a-b', '0', 'a.b-c.9', 'a'.repeat(253)])('valid DNS subdomain: %s', (name) => {
    expect(isDns1123Subdomain(name)).toEqual([])
  })

  test.each(['', 'A', '-a', 'a-', '.a', 'a.', 'a..b', 'a.-b', 'a-.b', 'a_b', 'é', 'a\n'])('invalid DNS subdomain: %j', (name) => {
    expect(isDns1123Subdomain(name)).toEqual([SUBDOMAIN])
  })

  test('maximum lengths of names', () => {
    expect(isDns1123Subdomain('a'.repeat(254))).toEqual(['must be no more than 253 characters'])
    expect(isDns1123Label('a'.repeat(64))).toEqual(['must be no more than 63 characters'])
    expect(isDns1123Subdomain('é'.repeat(127))).toEqual(['must be no more than 253 characters', SUBDOMAIN])
  })

  test('DNS labels must not contain dots', () => {
    expect(isDns1123Label('a-1')).toEqual([])
    expect(isDns1123Label('a.b')).toEqual(['must not contain dots'])
    expect(isDns1123Label('a_b')).toEqual([LABEL])
    expect(isDns1035Label('a1')).toEqual([])
    expect(isDns1035Label('1a')).toEqual([expect.stringContaining('a DNS-1035 label must consist of')])
  })

  test('path segment names', () => {
    expect(isPathSegmentName('system:a b')).toEqual([])
    expect(isPathSegmentName('..')).toEqual(["may not be '..'"])
    expect(isPathSegmentName('a/b%')).toEqual(["may not contain '/'", "may not contain '%'"])
    expect(nameIsPathSegment('..', true)).toEqual([])
  })

  test('generateName may end in a dash', () => {
    expect(nameIsDnsLabel('my-', true)).toEqual([])
    expect(nameIsDnsLabel('my-', false)).toEqual([LABEL])
    expect(nameIsDnsSubdomain('é-', true)).toEqual([SUBDOMAIN])
    expect(nameIsDnsSubdomain('-', true)).toEqual([SUBDOMAIN])
  })
})

describe('label keys and label values', () => {
  test.each([
    ['a', []],
    ['example.com/My_Name.1', []],
    ['', ['name part must be non-empty', `name part ${KEY}`]],
    ['/x', ['prefix part must be non-empty']],
    ['Example.com/x', [`prefix part ${SUBDOMAIN}`]],
    [`${'p'.repeat(254)}/x`, ['prefix part must be no more than 253 bytes']],
    ['k'.repeat(64), ['name part must be no more than 63 bytes']],
    ['a b', [`name part ${KEY}`]],
    ['a/b/c', [`a valid label key ${KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]],
  ])('label key %j', (key, errors) => {
    expect(isQualifiedName(key)).toEqual(errors)
  })

  test('label values', () => {
    expect(isLabelValue('')).toEqual([])
    expect(isLabelValue('a_b.C')).toEqual([])
    expect(isLabelValue('-a')).toEqual([VALUE])
    expect(isLabelValue('v'.repeat(64))).toEqual(['must be no more than 63 bytes'])
  })
})

test('name checks take linear time', () => {
  for (const part of ['a', 'a.', '-', '/']) {
    for (const check of [isDns1123Label, isDns1123Subdomain, isQualifiedName, isLabelValue]) {
      expectLinear((size) => {
        const text = `${part.repeat(size)}!`
        return () => check(text)
      }, 250_000)
    }
  }
})

test('generated names are valid names of at most 63 characters', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z][a-z0-9-]{0,70}$/),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (base, number) => {
        const name = generateName(base, () => number)
        expect(isDns1123Label(name)).toEqual([])
        expect(name.slice(0, -5)).toBe(base.slice(0, 58))
        expect(name.slice(-5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
      },
    ),
  )
})
