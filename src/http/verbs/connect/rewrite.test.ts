import { expect, test } from 'vitest'
import { rewrittenLocation } from './rewrite.ts'

const rewriting = { prefix: '/api/v1/nodes/a/proxy', hosts: ['10.0.0.1:80', 'server:443'] } as const

test.each([
  ['/logs/?a=/b#c', '/api/v1/nodes/a/proxy/logs/?a=/b#c'],
  ['http://10.0.0.1:80/x', '/api/v1/nodes/a/proxy/x'],
  ['https://server:443/x', 'https://server:443/api/v1/nodes/a/proxy/x'],
  ['/api/v1/nodes/a/proxy/x', '/api/v1/nodes/a/proxy/x'],
  ['/x/../../y', '/api/v1/nodes/a/y'],
  ['relative/x', 'relative/x'],
  ['//elsewhere.example.com/x', '//elsewhere.example.com/x'],
  ['https://elsewhere.example.com/x', 'https://elsewhere.example.com/x'],
  ['mailto:jane@example.com', 'mailto:jane@example.com'],
  ['', ''],
])('the link %j becomes %j', (url, expected) => {
  expect(rewrittenLocation(url, rewriting)).toBe(expected)
})
