import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatFieldSelector,
  METADATA_FIELD_LABELS,
  matchesFields,
  parseFieldSelector,
  requiredFieldValue,
  supportedFieldSelector,
  UNSUPPORTED_FIELD_LABEL,
} from './field-selector.ts'

describe('parseFieldSelector', () => {
  test.each([
    ['', []],
    ['=', []],
    [
      'b!=1,a==2,',
      [
        { field: 'a', operator: '=', value: '2' },
        { field: 'b', operator: '!=', value: '1' },
      ],
    ],
    ['a=x\\,y\\=z\\\\', [{ field: 'a', operator: '=', value: 'x,y=z\\' }]],
    ['a=b!c', [{ field: 'a', operator: '=', value: 'b!c' }]],
  ])('parses %j', (text, terms) => {
    expect(parseFieldSelector(text).terms).toEqual(terms)
  })

  test.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['a=b,c', "invalid selector: 'a=b,c'; can't understand 'c'"],
    ['a=\\1', 'invalid field selector: invalid escape sequence: \\1'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  ])('rejects %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new Error(message))
  })

  test('parses the text of formatFieldSelector', () => {
    const term = fc.record({
      field: fc.stringMatching(/^[a-z.]{1,9}$/),
      operator: fc.constantFrom('=' as const, '!=' as const),
      value: fc.string(),
    })
    fc.assert(
      fc.property(fc.array(term), (terms) => {
        const { terms: read } = parseFieldSelector(formatFieldSelector({ terms }))
        expect(read).toHaveLength(terms.length)
        expect(read).toEqual(expect.arrayContaining(terms))
      }),
    )
  })
})

test('a field that the object does not have matches as the empty text', () => {
  const matches = (text: string): boolean =>
    matchesFields(parseFieldSelector(text), { 'status.phase': 'Running', __proto__: null } as never)
  expect(matches('status.phase=Running')).toBe(true)
  expect(matches('status.phase!=Running')).toBe(false)
  expect(matches('spec.nodeName=')).toBe(true)
  expect(matches('constructor!=')).toBe(false)
  expect(matches('status.phase=Running,spec.nodeName=x')).toBe(false)
})

test('requiredFieldValue returns the only value that the selector allows', () => {
  const selector = parseFieldSelector('metadata.name=a,metadata.namespace!=b')
  expect(requiredFieldValue(selector, 'metadata.name')).toBe('a')
  expect(requiredFieldValue(selector, 'metadata.namespace')).toBeUndefined()
})

describe('supported field labels of a kind', () => {
  const pods = { supported: ['metadata.name', 'spec.nodeName'], refusal: UNSUPPORTED_FIELD_LABEL }

  test('400 field label not supported', () => {
    const selector = parseFieldSelector('spec.nodeName=n')
    expect(supportedFieldSelector(selector, pods)).toEqual(selector)
    expect(() => supportedFieldSelector(parseFieldSelector('toString=n'), pods)).toThrow('field label not supported: toString')
    expect(() => supportedFieldSelector(parseFieldSelector('=n'), pods)).toThrow('field label not supported: ')
  })

  test('400 "not a known field selector" for kinds with metadata fields only', () => {
    const refusal = expect(() => supportedFieldSelector(parseFieldSelector('a$&=n'), METADATA_FIELD_LABELS))
    refusal.toThrow(
      expect.objectContaining({
        code: 400,
        message: '"a$&" is not a known field selector: only "metadata.name", "metadata.namespace"',
      }),
    )
  })
})
