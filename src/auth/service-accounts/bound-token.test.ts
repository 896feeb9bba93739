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

describe('a bound ServiceAccount token authenticates', () => {
  test('its ServiceAccount', async () => {
    expect(await holderOfBoundToken(claimsOf(), reader(there), now)).toEqual({
      name: 'system:serviceaccount:shop:robot',
      uid: 'u-robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'],
      extra: { [key('credential-id')]: ['JTI=id'] },
    })
  })

  test("its Pod and the Pod's node in extra", async () => {
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

describe('a bound ServiceAccount token is invalid', () => {
  test.each([
    ['after exp', claimsOf(), there, now + 661, 'service account token has expired'],
    ['before nbf', claimsOf(), there, now - 61, 'service account token is not valid yet'],
    ['if its ServiceAccount was deleted', claimsOf(), {}, now, 'serviceaccounts "robot" not found'],
    [
      'if its ServiceAccount was recreated with another uid',
      claimsOf(),
      { 'serviceaccounts/shop/robot': stored('u-2') },
      now,
      'service account UID (u-2) does not match claim (u-robot)',
    ],
    [
      'a minute after the deletionTimestamp of its ServiceAccount',
      claimsOf(),
      { 'serviceaccounts/shop/robot': stored('u-robot', now - 61) },
      now,
      'service account shop/robot has been deleted',
    ],
    [
      'if its Pod was deleted',
      claimsOf(pod),
      { ...there, 'pods/shop/web': undefined },
      now,
      'service account token has been invalidated',
    ],
    [
      'if its Pod was recreated with another uid',
      claimsOf(pod),
      { ...there, 'pods/shop/web': stored('u-2') },
      now,
      'pod UID (u-2) does not match service account pod ref claim (u-web)',
    ],
    ['if its Secret was deleted', claimsOf(secret), { ...there, 'secrets/shop/key': undefined }, now, 'has been invalidated'],
    ['if its Node was deleted', claimsOf(node), { ...there, 'nodes//n1': undefined }, now, 'has been invalidated'],
    [
      'without a ServiceAccount in its claims',
      { ...claimsOf(), 'kubernetes.io': 'x' },
      there,
      now,
      'claims could not be validated',
    ],
    ['with an exp that is not a number', { ...claimsOf(), exp: '4000000000' }, there, now, 'service account token has expired'],
  ])('%s', async (_when, claims, objects, at, message) => {
    const answer = holderOfBoundToken(claims, reader(objects as typeof there), at)
    await expect(answer).rejects.toThrow(TokenError)
    await expect(answer).rejects.toThrow(message)
  })

  test("but stays valid without its Pod's node, and within the leeway after a deletion has begun", async () => {
    const objects = {
      ...there,
      'pods/shop/web': stored('u-web', now - 59),
      'nodes//n1': undefined,
    } as unknown as typeof there
    expect((await holderOfBoundToken(claimsOf(pod), reader(objects), now)).uid).toBe('u-robot')
  })
})
