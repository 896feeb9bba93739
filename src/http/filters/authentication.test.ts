import { describe, expect, test } from 'vitest'
import { Authenticator } from '../../auth/authenticator.ts'
import { WithoutAudiences } from '../../auth/token-authenticator.ts'
import type { Authentication } from '../authentication.ts'
import { authenticate } from './authentication.ts'

const bob = { name: 'bob', uid: '', groups: [], extra: {} }
const kind = new WithoutAudiences(['api'], (token) => (token === 'sesame' ? bob : undefined))
const by: Authentication = {
  tokens: new Authenticator([kind], ['api']),
  anonymous: { allowed: 'everywhere' },
  clientCertificates: 'ignored',
  accessAssertions: 'ignored',
}
const alice = { certPresented: '1', certVerified: 'SUCCESS', certRevoked: '0', certSubjectDNRFC2253: 'CN=alice,O=admins' }

/** Returns a request as the runtime passes it: the runtime sets `cf`, the client sets the headers. */
function request(headers: Readonly<Record<string, string>>, tlsClientAuth?: object): Request {
  const made = new Request('https://server/api', { headers })
  return Object.defineProperty(made, 'cf', { value: { tlsClientAuth } })
}
const nameOf = async (sent: Request, how: Partial<Authentication> = {}): Promise<string> =>
  (await authenticate(sent, '/api', { ...by, ...how })).user.name

describe('authentication with a client certificate', () => {
  test('is used only if it is configured, and has precedence over a bearer token', async () => {
    const bearer = { authorization: 'Bearer sesame' }
    expect(await nameOf(request({}, alice))).toBe('system:anonymous')
    expect(await nameOf(request({}, alice), { clientCertificates: 'taken' })).toBe('alice')
    expect(await nameOf(request(bearer, alice), { clientCertificates: 'taken' })).toBe('alice')
    const { user } = await authenticate(request({}, alice), '/api', { ...by, clientCertificates: 'taken' })
    expect(user.groups).toEqual(['admins', 'system:authenticated'])
  })

  test('with an invalid certificate: the bearer token is used, and without one 401 Unauthorized', async () => {
    const failed = { ...alice, certVerified: 'FAILED:self signed certificate' }
    const how = { clientCertificates: 'taken' } as const
    await expect(nameOf(request({}, failed), how)).rejects.toThrow('Unauthorized')
    expect(await nameOf(request({ authorization: 'Bearer sesame' }, failed), how)).toBe('bob')
  })
})

describe('authentication with a bearer token', () => {
  test.each([
    ['Bearer sesame', 'bob'],
    ['bearer sesame', 'bob'],
    ['BEARER sesame', 'bob'],
    ['Bearer sesame and more', 'bob'],
    ['Bearer  sesame', 'system:anonymous'],
    ['Basic c2VzYW1l', 'system:anonymous'],
    ['Bearer', 'system:anonymous'],
  ])('Authorization: %j is user %s', async (authorization, name) => {
    expect(await nameOf(request({ authorization }))).toBe(name)
  })

  test('that is unknown: 401 Unauthorized, even if anonymous requests are allowed', async () => {
    await expect(nameOf(request({ authorization: 'Bearer x' }))).rejects.toThrow('Unauthorized')
  })

  test('of Cloudflare Access, if Access is a configured issuer and there is no Authorization header', async () => {
    const assertion = { 'cf-access-jwt-assertion': 'sesame' }
    const how = { accessAssertions: 'taken' } as const
    expect(await nameOf(request(assertion))).toBe('system:anonymous')
    expect(await nameOf(request(assertion), how)).toBe('bob')
    await expect(nameOf(request({ 'cf-access-jwt-assertion': 'x' }), how)).rejects.toThrow('Unauthorized')
    await expect(nameOf(request({ ...assertion, authorization: 'Bearer x' }), how)).rejects.toThrow('Unauthorized')
  })
})

test('anonymous requests are allowed at some paths, or nowhere', async () => {
  await expect(nameOf(request({}), { anonymous: { allowed: 'nowhere' } })).rejects.toThrow('Unauthorized')
  const paths = (path: string) => ({ anonymous: { allowed: 'at paths', paths: new Set([path]) } }) as const
  expect(await nameOf(request({}), paths('/api'))).toBe('system:anonymous')
  await expect(nameOf(request({}), paths('/apis'))).rejects.toThrow('Unauthorized')
})
