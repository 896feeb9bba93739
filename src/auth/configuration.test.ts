import { describe, expect, test } from 'vitest'
import { readAuthenticationConfiguration } from './configuration.ts'

const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' }
const jwt = {
  issuer: { url: 'https://issuer.example/x/', audiences: ['a'] },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
}
const read = (fields: object) => readAuthenticationConfiguration(JSON.stringify({ ...head, ...fields }))

describe('the AuthenticationConfiguration', () => {
  test('allows anonymous requests if the deployment has no configuration', () => {
    expect(readAuthenticationConfiguration('')).toEqual({ anonymous: { allowed: 'everywhere' }, jwt: [] })
    expect(read({})).toEqual(readAuthenticationConfiguration(''))
  })

  test('anonymous: enabled, disabled, or allowed at some paths', () => {
    expect(read({ anonymous: { enabled: false } }).anonymous).toEqual({ allowed: 'nowhere' })
    expect(read({ anonymous: { enabled: true } }).anonymous).toEqual({ allowed: 'everywhere' })
    const conditions = [{ path: '/livez' }]
    expect(read({ anonymous: { enabled: true, conditions } }).anonymous).toEqual({
      allowed: 'at paths',
      paths: new Set(['/livez']),
    })
  })

  test('jwt: issuer, audiences, claim mappings and claim validation rules', () => {
    const claimMappings = { ...jwt.claimMappings, groups: { claim: 'g', prefix: 'p:' }, uid: { claim: 'u' } }
    const claimValidationRules = [{ claim: 'hd', requiredValue: 'example.com' }]
    expect(read({ jwt: [{ ...jwt, claimMappings, claimValidationRules }] }).jwt).toEqual([
      {
        issuer: 'https://issuer.example/x/',
        keys: { at: 'discovery', url: 'https://issuer.example/x/.well-known/openid-configuration' },
        audiences: ['a'],
        username: { claim: 'sub', prefix: '' },
        groups: { claim: 'g', prefix: 'p:' },
        uid: 'u',
        extra: new Map(),
        required: new Map([['hd', 'example.com']]),
        claimRules: [],
        userRules: [],
      },
    ])
  })

  test('knows the key set URL of Cloudflare Access teams, and of no other host', () => {
    const keysOf = (url: string): unknown => read({ jwt: [{ ...jwt, issuer: { ...jwt.issuer, url } }] }).jwt[0]?.keys
    const team = 'https://team.cloudflareaccess.com'
    expect(keysOf(team)).toEqual({ at: 'key set', url: `${team}/cdn-cgi/access/certs` })
    for (const other of ['https://evil.example/.cloudflareaccess.com', 'https://team.cloudflareaccess.com.evil.example']) {
      expect(keysOf(other)).toMatchObject({ at: 'discovery' })
    }
  })

  test.each([
    [{ kind: 'Other' }, 'kind must be "AuthenticationConfiguration"'],
    [{ webhook: {} }, 'webhook is not supported'],
    [{ jwt: {} }, 'jwt must be a list'],
    [{ jwt: [jwt, jwt] }, 'jwt names an issuer twice'],
    [{ jwt: [{ ...jwt, issuer: { ...jwt.issuer, url: 'http://issuer.example' } }] }, 'jwt[0].issuer.url must be an https URL'],
    [{ jwt: [{ ...jwt, issuer: { ...jwt.issuer, url: 'https://u:p@issuer.example' } }] }, 'must be an https URL without user'],
    [{ jwt: [{ ...jwt, issuer: { ...jwt.issuer, audiences: [] } }] }, 'jwt[0].issuer.audiences is required'],
    [
      { jwt: [{ ...jwt, issuer: { ...jwt.issuer, certificateAuthority: 'x' } }] },
      'certificateAuthority holds no PEM certificate',
    ],
    [{ jwt: [{ ...jwt, claimMappings: { username: { claim: 'sub' } } }] }, 'username.prefix is required'],
    [{ anonymous: {} }, 'anonymous.enabled is required'],
    [{ anonymous: { enabled: false, conditions: [{ path: '/x' }] } }, 'must be empty'],
  ])('%j is refused as a whole', (fields, message) => expect(() => read(fields)).toThrow(message))

  test('that is not JSON is refused', () => expect(() => readAuthenticationConfiguration('{')).toThrow('is not JSON'))
})
