import { expect, test } from 'vitest'
import { parseServiceRoutes } from './service-routes.ts'

test('routes of Services lead to hosts and service bindings', () => {
  const routes = parseServiceRoutes(
    'default/hook:443=https://127.0.0.1:9443, policy/guard:8443=binding:GUARD,a/b:1=https://[::1]',
  )
  expect(Object.fromEntries(routes)).toEqual({
    'default/hook:443': { to: 'host', hostname: '127.0.0.1', port: 9443 },
    'policy/guard:8443': { to: 'binding', name: 'GUARD' },
    'a/b:1': { to: 'host', hostname: '::1', port: 443 },
  })
  expect(parseServiceRoutes('').size).toBe(0)
})

test.each([
  ['hook:443=https://a', 'must be NAMESPACE/NAME:PORT='],
  ['a/b=https://a', 'must be NAMESPACE/NAME:PORT='],
  ['a/b:1=somewhere', 'has no URL'],
  ['a/b:1=http://a', 'must lead to https://HOST[:PORT]'],
  ['a/b:1=https://a/path', 'without a path'],
])('a wrong route of a Service is refused: %s', (text, message) => {
  expect(() => parseServiceRoutes(text)).toThrow(message)
})
