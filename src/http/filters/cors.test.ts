import { describe, expect, test } from 'vitest'
import { readAllowedOrigins, withCORS } from './cors.ts'
import { serverOf } from './filters.fixture.ts'
import { withHSTS } from './hsts.ts'

const never = (): boolean => false
const serverFor = (allowed: string) => serverOf(withCORS(readAllowedOrigins(allowed) ?? never))
const send = async (allowed: string, origin: string | undefined, method = 'GET'): Promise<Response> =>
  serverFor(allowed).request('/api', { method, headers: origin === undefined ? {} : { origin } })

describe('CORS', () => {
  test.each([
    ['^https://good\\.example$', 'https://good.example', true],
    ['^https://good\\.example$', 'https://good.example.evil', false],
    ['^https://good\\.example$', 'https://goodxexample', false],
    ['//localhost(:|$)', 'http://localhost:3000', true],
    ['//localhost(:|$)', 'http://localhost.evil', false],
    ['^https://a$,^https://b$', 'https://b', true],
    ['^https://a$', undefined, false],
    ['', 'https://a', false],
  ])('--cors-allowed-origins=%s, Origin %s: allowed %s', async (allowed, origin, isAllowed) => {
    const { headers } = await send(allowed, origin)
    expect(headers.get('access-control-allow-origin')).toBe(isAllowed ? origin : null)
    expect(headers.has('access-control-allow-methods')).toBe(isAllowed)
  })

  test.each(['good.example', '^https://good\\.example', 'https?.good\\.example$', '^https://(good$'])(
    '--cors-allowed-origins=%s is invalid: it is not anchored, or not a regular expression',
    (allowed) => {
      expect(() => readAllowedOrigins(allowed)).toThrow()
    },
  )

  test('a preflight request of an allowed origin: 204', async () => {
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
