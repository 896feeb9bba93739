import { expect, test } from 'vitest'
import { isProxyable } from './proxyable-address.ts'

test.each([
  ['10.0.0.1', true],
  ['fd00::1', true],
  ['', false],
  ['example.com', false],
  ['0.0.0.0', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  ['fe80::1', false],
  ['255.255.255.255', false],
])('a proxy to %j is allowed: %s', (address, may) => {
  expect(isProxyable(address)).toBe(may)
})
