import { describe, expect, test } from 'vitest'
import { Authenticator } from './authenticator.ts'
import { type TokenAuthenticator, TokenError, WithoutAudiences } from './token-authenticator.ts'

const alice = { name: 'alice', uid: '', groups: [], extra: {} }

/** Knows a token as long as it is valid. */
function known(token: string) {
  const state = { valid: true, asked: 0, now: 0 }
  const kind = new WithoutAudiences(['api'], (given) => {
    state.asked++
    return state.valid && given === token ? alice : undefined
  })
  return { state, authenticator: new Authenticator([kind], ['api'], () => state.now) }
}

describe('the holder of a token', () => {
  test('is everybody who is somebody', async () => {
    expect(await known('a').authenticator.holderOf('a')).toEqual({ ...alice, groups: ['system:authenticated'] })
  })

  test('is remembered for less than a second', async () => {
    const { state, authenticator } = known('a')
    await authenticator.holderOf('a')
    state.valid = false
    state.now = 999
    expect(await authenticator.holderOf('a')).toBeDefined()
    expect(state.asked).toBe(1)
    state.now = 1000
    expect(await authenticator.holderOf('a')).toBeUndefined()
  })

  test('is asked for each time where there is none', async () => {
    const { state, authenticator } = known('a')
    state.valid = false
    expect(await authenticator.holderOf('a')).toBeUndefined()
    state.valid = true
    expect(await authenticator.holderOf('a')).toBeDefined()
    expect(state.asked).toBe(2)
  })

  test('is not remembered for audiences that others have asked for', async () => {
    const { authenticator } = known('a')
    await authenticator.holderOf('a')
    expect(await authenticator.review('a', ['other'])).toEqual({ error: 'invalid bearer token' })
  })
})

test('the first kind that knows a token decides, and a review tells what the others say', async () => {
  const refusing: TokenAuthenticator = {
    authenticate: () => {
      throw new TokenError('it has expired')
    },
  }
  const kind = new WithoutAudiences(['api'], (token) => (token === 'a' ? alice : undefined))
  const authenticator = new Authenticator([refusing, kind], ['api'])
  expect(await authenticator.holderOf('a')).toBeDefined()
  expect(await authenticator.review('b', ['api'])).toEqual({ error: '[invalid bearer token, it has expired]' })
})

test('a fault is no answer', async () => {
  const failing: TokenAuthenticator = {
    authenticate: () => {
      throw new Error('the disk is gone')
    },
  }
  await expect(new Authenticator([failing], ['api']).holderOf('a')).rejects.toThrow('the disk is gone')
})
