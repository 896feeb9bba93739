import { describe, expect, test } from 'vitest'
import { rfc3339Seconds } from '../../go/time.ts'
import { TokenError } from '../token-authenticator.ts'
import { holderOfBoundToken, type ReadBound } from './bound-token.ts'
import { type Binding, boundClaims } from './claims.ts'

const now = 1_800_000_000
const account = { namespace: 'shop', name: 'robot', uid: 'u-robot' }
const stored = (uid: string, deletedAt?: number) => ({
  metadata: { uid, ...(deletedAt !== undefined && { deletionTimestamp: rfc3339Seconds(deletedAt * 1000) }) },
})

/** Objects by `resource/namespace/name`. */
const reader =
  (objects: Readonly<Record<string, ReturnType<typeof stored>>>): ReadBound =>
  async (resource, namespace, name) =>
    objects[`${resource}/${namespace}/${name}`]

const there = {
  'serviceaccounts/shop/robot': stored('u-robot'),
  'pods/shop/web': stored('u-web'),
  'secrets/shop/key': stored('u-key'),
  'nodes//n1': stored('u-n1'),
}

const claimsOf = (binding: Binding = { to: 'nothing' }) =>
  boundClaims({ issuer: 'i', account, binding, audiences: ['i'], now, lifetime: 600, id: 'id' })

const pod: Binding = { to: 'pod', pod: { name: 'web', uid: 'u-web' }, node: { name: 'n1', uid: 'u-n1' } }
const secret: Binding = { to: 'secret', secret: { name: 'key', uid: 'u-key' } }
const node: Binding = { to: 'node', node: { name: 'n1', uid: 'u-n1' } }

const key = (name: string): string => `authentication.kubernetes.io/${name}`

describe('a bound token names', () => {
  test('its account', async () => {
    expect(await holderOfBoundToken(claimsOf(), reader(there), now)).toEqual({
      name: 'system:serviceaccount:shop:robot',
      uid: 'u-robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'],
      extra: { [key('credential-id')]: ['JTI=id'] },
    })
  })

  test('its Pod and the node of that', async () => {
    const { extra } = await holderOfBoundToken(claimsOf(pod), reader(there), now)
    expect(extra).toEqual({
      [key('credential-id')]: ['JTI=id'],
      [key('node-name')]: ['n1'],
      [key('node-uid')]: ['u-n1'],
      [key('pod-name')]: ['web'],
      [key('pod-uid')]: ['u-web'],
    })
  })
})

describe('a bound token ends', () => {
  test.each([
    ['when it expires', claimsOf(), there, now + 661, 'service account token has expired'],
    ['before it begins', claimsOf(), there, now - 61, 'service account token is not valid yet'],
    ['with its account', claimsOf(), {}, now, 'serviceaccounts "robot" not found'],
    [
      'with an account that was made anew',
      claimsOf(),
      { 'serviceaccounts/shop/robot': stored('u-2') },
      now,
      'service account UID (u-2) does not match claim (u-robot)',
    ],
    [
      'a minute after the deletion of its account has begun',
      claimsOf(),
      { 'serviceaccounts/shop/robot': stored('u-robot', now - 61) },
      now,
      'service account shop/robot has been deleted',
    ],
    ['with its Pod', claimsOf(pod), { ...there, 'pods/shop/web': undefined }, now, 'service account token has been invalidated'],
    [
      'with a Pod that was made anew',
      claimsOf(pod),
      { ...there, 'pods/shop/web': stored('u-2') },
      now,
      'pod UID (u-2) does not match service account pod ref claim (u-web)',
    ],
    ['with its Secret', claimsOf(secret), { ...there, 'secrets/shop/key': undefined }, now, 'has been invalidated'],
    ['with its Node', claimsOf(node), { ...there, 'nodes//n1': undefined }, now, 'has been invalidated'],
    ['where it says nothing of an account', { ...claimsOf(), 'kubernetes.io': 'x' }, there, now, 'claims could not be validated'],
    ['where it says no time', { ...claimsOf(), exp: '4000000000' }, there, now, 'service account token has expired'],
  ])('%s', async (_when, claims, objects, at, message) => {
    const answer = holderOfBoundToken(claims, reader(objects as typeof there), at)
    await expect(answer).rejects.toThrow(TokenError)
    await expect(answer).rejects.toThrow(message)
  })

  test('not with the node of its Pod, and not while a deletion has only begun', async () => {
    const objects = {
      ...there,
      'pods/shop/web': stored('u-web', now - 59),
      'nodes//n1': undefined,
    } as unknown as typeof there
    expect((await holderOfBoundToken(claimsOf(pod), reader(objects), now)).uid).toBe('u-robot')
  })
})
