import { expect, test } from 'vitest'
import { identityHeaders, isFrontProxyHeader } from './identity-headers.ts'

test('each group and each value of an extra field is a header of its own; keys are escaped, texts are bytes of UTF-8', () => {
  const user = { name: 'jürgen', uid: '', groups: ['a, b', 'c'], extra: { 'example.com/role%': ['x', 'y'] } }
  expect(identityHeaders(user)).toEqual([
    ['X-Remote-User', 'jÃ¼rgen'],
    ['X-Remote-Group', 'a, b'],
    ['X-Remote-Group', 'c'],
    ['X-Remote-Extra-example.com%2Frole%25', 'x'],
    ['X-Remote-Extra-example.com%2Frole%25', 'y'],
  ])
})

test.each([
  ['x-remote-user', true],
  ['x-remote-extra-scopes', true],
  ['x-remote-address', false],
])('%s: only a front proxy may set it: %s', (name, isOnly) => {
  expect(isFrontProxyHeader(name)).toBe(isOnly)
})
