import { describe, expect, test } from 'vitest'
import { Authenticator } from './authenticator.ts'
import { type TokenAuthenticator, TokenError, WithoutAudiences } from './token-authenticator.ts'

const alice = { name: 'alice', uid: '', groups: [], extra: {} }

/** Makes an authenticator that accepts the token while `state.valid` is true. */
function known(token: string) {
  const state = { valid: true, lookups: 0, now: 0 }
  const kind = new WithoutAudiences(['api'], (given) => {
    state.lookups++
    return state.valid && given === token ? alice : undefined
  })
  return { state, authenticator: new Authenticator([kind], ['api'], { now: () => state.now }) }
}

describe('the user of a bearer token', () => {
  test('is in system:authenticated', async () => {
    expect(await known('a').authenticator.authenticateToken('a')).toEqual({ ...alice, groups: ['system:authenticated'] })
  })

  test('is cached for less than a second', async () => {
    const { state, authenticator } = known('a')
    await authenticator.authenticateToken('a')
    state.valid = false
    state.now = 999
    expect(await authenticator.authenticateToken('a')).toBeDefined()
    expect(state.lookups).toBe(1)
    state.now = 1000
    expect(await authenticator.authenticateToken('a')).toBeUndefined()
  })

  test('is looked up each time while the token is unknown: a refusal is not cached', async () => {
    const { state, authenticator } = known('a')
    state.valid = false
    expect(await authenticator.authenticateToken('a')).toBeUndefined()
    state.valid = true
    expect(await authenticator.authenticateToken('a')).toBeDefined()
    expect(state.lookups).toBe(2)
  })

  test('is not cached for the audiences of a TokenReview', async () => {
    const { authenticator } = known('a')
    await authenticator.authenticateToken('a')
    expect(await authenticator.review('a', ['other'])).toEqual({ error: 'invalid bearer token' })
  })
})

test('the first authenticator that knows a token decides, and a TokenReview aggregates the errors of the others', async () => {
  const refusing: TokenAuthenticator = {
    authenticate: () => {
      throw new TokenError('it has expired')
    },
  }
  const kind = new WithoutAudiences(['api'], (token) => (token === 'a' ? alice : undefined))
  const authenticator = new Authenticator([refusing, kind], ['api'])
  expect(await authenticator.authenticateToken('a')).toBeDefined()
  expect(await authenticator.review('b', ['api'])).toEqual({ error: '[invalid bearer token, it has expired]' })
})

test('an unexpected error of an authenticator is thrown, not answered as an invalid token', async () => {
  const failing: TokenAuthenticator = {
    authenticate: () => {
      throw new Error('the disk is gone')
    },
  }
  await expect(new Authenticator([failing], ['api']).authenticateToken('a')).rejects.toThrow('the disk is gone')
})
