import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import { readAuthenticationConfiguration } from '../configuration.ts'
import { TokenError } from '../token-authenticator.ts'
import { holderOfClaims } from './authenticator.ts'

const issuer = { url: 'https://issuer.example', audiences: ['edgeplane'] }
const claims = { aud: 'edgeplane', sub: 'alice', exp: 2000, roles: ['admin', ''], tenant: 'blue', level: 7, email: 'a@b.c' }

function authenticatorOf(fields: object) {
  const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' }
  const jwt = { issuer, claimMappings: { username: { expression: "'oidc:' + claims.sub" } }, ...fields }
  const [found] = readAuthenticationConfiguration(JSON.stringify({ ...head, jwt: [jwt] })).jwt
  if (found === undefined) throw new Error('no authenticator')
  return found
}

const holder = (fields: object, tokenClaims: JsonObject = claims) => holderOfClaims(tokenClaims, authenticatorOf(fields), 1000)

describe('CEL expressions of a JWT authenticator', () => {
  test('map claims to username, groups, uid and extra', () => {
    const claimMappings = {
      username: { expression: "claims.sub + '@' + claims.tenant" },
      groups: { expression: "claims.roles.map(role, role == '' ? '' : 'oidc:' + role)" },
      uid: { expression: "claims.?uid.orValue('none')" },
      extra: [
        { key: 'example.com/tenant', valueExpression: 'claims.tenant' },
        { key: 'example.com/nothing', valueExpression: "''" },
      ],
    }
    expect(holder({ claimMappings })).toEqual({
      name: 'alice@blue',
      uid: 'none',
      groups: ['oidc:admin'],
      extra: { 'example.com/tenant': ['blue'] },
    })
  })

  test('validate claims and the mapped user', () => {
    const claimValidationRules = [{ expression: 'claims.level > 6', message: 'level' }]
    const userValidationRules = [{ expression: "!user.username.startsWith('system:')", message: 'no system: names' }]
    expect(holder({ claimValidationRules, userValidationRules }).name).toBe('oidc:alice')
    expect(() => holder({ claimValidationRules }, { ...claims, level: 6 })).toThrow(
      "oidc: error evaluating claim validation expression: validation expression 'claims.level > 6' failed: level",
    )
    const claimMappings = { username: { expression: 'claims.sub' } }
    expect(() => holder({ claimMappings, userValidationRules }, { ...claims, sub: 'system:admin' })).toThrow('no system: names')
  })

  test.each([
    [{ username: { expression: 'claims.sub' } }, { ...claims, sub: '' }, 'empty username via CEL expression is not allowed'],
    [{ username: { expression: 'claims.sub' } }, { ...claims, sub: 7 }, 'username claim expression must return a string'],
    [{ username: { expression: 'claims.other' } }, claims, 'no such key: other'],
    [
      { username: { expression: 'claims.sub' }, groups: { expression: 'claims.roles' } },
      { ...claims, roles: ['a', 1] },
      'expression must return a string or a list of strings',
    ],
  ])('with result %j are refused', (claimMappings, tokenClaims, message) => {
    const refused = () => holder({ claimMappings }, tokenClaims)
    expect(refused).toThrow(message)
    expect(refused).toThrow(TokenError)
  })

  test.each([
    [{ claimMappings: { username: { expression: 'claims.sub +' } } }, 'compilation failed: ERROR: <input>:1:'],
    [{ claimMappings: { username: { expression: '1' } } }, 'must evaluate to string'],
    [{ claimMappings: { username: { expression: 'user.username' } } }, 'undeclared reference to'],
    [{ claimMappings: { username: { expression: 'claims.sub', claim: 'sub' } } }, 'has a claim or an expression, not both'],
    [{ claimMappings: { username: { expression: 'claims.email' } } }, 'claims.email_verified must be used'],
    [{ claimMappings: { username: { expression: "claims['email']" } } }, 'claims.email_verified must be used'],
    [
      { claimMappings: { username: { claim: 'sub', prefix: '' }, extra: [{ key: 'k8s.io/a', valueExpression: "'a'" }] } },
      'must not be',
    ],
    [{ claimValidationRules: [{ expression: 'claims.sub' }] }, 'must evaluate to bool'],
    [{ userValidationRules: [{ expression: 'user.name == ""' }] }, "undefined field 'name'"],
  ])('%j is refused when the configuration is read', (fields, message) => {
    expect(() => authenticatorOf(fields)).toThrow(message)
  })

  test('may use claims.email with claims.email_verified', () => {
    const expression = "claims.?email_verified.orValue(false) ? claims.email : 'nobody'"
    const claimMappings = { username: { expression } }
    expect(holder({ claimMappings }).name).toBe('nobody')
    expect(holder({ claimMappings }, { ...claims, email_verified: true }).name).toBe('a@b.c')
  })
})
