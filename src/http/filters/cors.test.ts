import { describe, expect, test } from 'vitest'
import { BrowserHeaders } from './security-headers.ts'

const asking = (origin: string | undefined, method = 'GET'): Request =>
  new Request('https://k8s.example/api', { method, headers: origin === undefined ? {} : { origin } })
const headersOf = (allowed: string, origin: string | undefined): Readonly<Record<string, string>> =>
  new BrowserHeaders({ corsAllowedOrigins: allowed, strictTransportSecurity: '' }).of(asking(origin))

describe('other origins', () => {
  test.each([
    ['^https://good\\.example$', 'https://good.example', true],
    ['^https://good\\.example$', 'https://good.example.evil', false],
    ['^https://good\\.example$', 'https://goodxexample', false],
    ['//localhost(:|$)', 'http://localhost:3000', true],
    ['//localhost(:|$)', 'http://localhost.evil', false],
    ['^https://a$,^https://b$', 'https://b', true],
    ['^https://a$', undefined, false],
    ['', 'https://a', false],
  ])('%s lets %s in: %s', (allowed, origin, lets) => {
    expect(headersOf(allowed, origin)['access-control-allow-origin']).toBe(lets ? origin : undefined)
  })

  test.each(['good.example', '^https://good\\.example', 'https?.good\\.example$', '^https://(good$'])(
    '%s is refused',
    (allowed) => {
      expect(() => headersOf(allowed, 'https://good.example')).toThrow()
    },
  )

  test('are answered before they ask, and others are not', () => {
    const browser = new BrowserHeaders({ corsAllowedOrigins: '^https://good$', strictTransportSecurity: '' })
    const preflight = (origin: string, method: string): number | undefined => {
      const request = asking(origin, method)
      return browser.preflight(request, browser.of(request))?.status
    }
    expect(preflight('https://good', 'OPTIONS')).toBe(204)
    expect(preflight('https://good', 'GET')).toBeUndefined()
    expect(preflight('https://evil', 'OPTIONS')).toBeUndefined()
  })
})

test('directives of Strict-Transport-Security are on every answer', () => {
  const browser = new BrowserHeaders({ corsAllowedOrigins: '', strictTransportSecurity: 'max-age=31536000,includeSubDomains' })
  expect(browser.of(asking(undefined))).toEqual({ 'strict-transport-security': 'max-age=31536000; includeSubDomains' })
})
