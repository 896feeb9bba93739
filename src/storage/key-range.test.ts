import { expect, test } from 'vitest'
import { keyRange, prefixesOf } from './key-range.ts'

test('a key range selects exactly the keys with the prefix', () => {
  expect(keyRange('pods/a/')).toEqual({ from: 'pods/a/', to: 'pods/a0' })
  expect(keyRange('pods/a/', 'pods/a/x')).toEqual({ from: 'pods/a/x', to: 'pods/a0' })
  expect(keyRange('pods/a/', 'other/x')).toEqual({ from: 'pods/a/', to: 'pods/a0' })
  expect(() => keyRange('pods')).toThrow('slash')
})

test('prefixesOf returns all prefixes of a key, shortest first', () => {
  expect(prefixesOf('pods/a/x')).toEqual(['pods/', 'pods/a/'])
  expect(prefixesOf('nodes/x')).toEqual(['nodes/'])
})
