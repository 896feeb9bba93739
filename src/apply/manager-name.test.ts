import { describe, expect, test } from 'vitest'
import { managerName, validateFieldManager } from './manager-name.ts'

describe('managerName', () => {
  test.each([
    ['given', 'kubectl/v1', 'given'],
    ['', 'kubectl/v1.36 (linux)', 'kubectl'],
    ['', 'no slash at all', 'no slash at all'],
    ['', 'tab\tand\u00a0space/1', 'tabandspace'],
    ['', '/nothing', 'unknown'],
    ['', '', 'unknown'],
    ['', 'a'.repeat(200), 'a'.repeat(128)],
    ['', `${'a'.repeat(127)}éb`, 'a'.repeat(127)],
  ])('fieldManager %j, User-Agent %j', (fieldManager, userAgent, name) => {
    expect(managerName(fieldManager, userAgent)).toBe(name)
  })
})

describe('validateFieldManager', () => {
  test('what is short and printable is good', () => {
    expect(validateFieldManager('kubectl-client-side-apply é')).toEqual([])
    expect(validateFieldManager('')).toEqual([])
  })

  test('length counts bytes', () => {
    expect(validateFieldManager('a'.repeat(128))).toEqual([])
    expect(validateFieldManager(`${'a'.repeat(127)}é`)[0]).toMatchObject({
      reason: 'FieldValueTooLong',
      field: 'fieldManager',
      text: 'Too long: may not be more than 128 bytes',
    })
  })

  test('positions count bytes', () => {
    expect(validateFieldManager('é\t')[0]?.text).toBe('Invalid value: "é\\t": invalid character U+0009 (at position 2)')
  })
})
