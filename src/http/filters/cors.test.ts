import { describe, expect, test } from 'vitest'
import { readAllowedOrigins, withCORS } from './cors.ts'
import { serverOf } from './filters.fixture.ts'
import { withHSTS } from './hsts.ts'

const never = (): boolean => false
const serverFor = (allowed: string) => serverOf(withCORS(readAllowedOrigins(allowed) ?? never))
const send = async (allowed: string, origin: string | undefined, method = 'GET'): Promise<Response> =>
  serverFor(allowed).request('/api', { method, headers: origin === undefined ? {} : { origin } })

describe('CORS: an origin', () => {
  test.each([
    ['^https://good\\.example$', 'https://good.example', true],
    ['^https://good\\.example$', 'https://good.example.evil', false],
    ['^https://good\\.example$', 'https://goodxexample', false],
    ['//localhost(:|$)', 'http://localhost:3000', true],
    ['//localhost(:|$)', 'http://localhost.evil', false],
    ['^https://a$,^https://b$', 'https://b', true],
    ['^https://a$', undefined, false],
    ['', 'https://a', false],
  ])('with --cors-allowed-origins=%s, from %s: %s', async (allowed, origin, isAllowed) => {
    const { headers } = await send(allowed, origin)
    expect(headers.get('access-control-allow-origin')).toBe(isAllowed ? origin : null)
    expect(headers.has('access-control-allow-methods')).toBe(isAllowed)
  })

  test.each(['good.example', '^https://good\\.example', 'https?.good\\.example$', '^https://(good$'])(
    'expression %s is refused because it is open at one end or cannot be read',
    (allowed) => {
      expect(() => readAllowedOrigins(allowed)).toThrow()
    },
  )

  test('gets 204 to a preflight request if it is allowed', async () => {
    const allowed = '^https://good$'
    expect((await send(allowed, 'https://good', 'OPTIONS')).status).toBe(204)
    expect((await send(allowed, 'https://good')).status).toBe(200)
    expect((await send(allowed, 'https://evil', 'OPTIONS')).status).toBe(200)
  })
})

test('--strict-transport-security-directives are a header of every response', async () => {
  const response = await serverOf(withHSTS('max-age=31536000,includeSubDomains')).request('/none')
  expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
})
