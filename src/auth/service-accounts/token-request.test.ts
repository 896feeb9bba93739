import { describe, expect, test } from 'vitest'
import { boundClaims } from './claims.ts'
import { bindingOf, boundTokenOf, type ReadCore } from './token-request.ts'

const account = { namespace: 'shop', name: 'robot', uid: 'u-robot' }
const pod = { metadata: { name: 'web', uid: 'u-web' }, spec: { serviceAccountName: 'robot', nodeName: 'n1' } }
const read: ReadCore = async (resource) => (resource === 'nodes' ? { metadata: { name: 'n1', uid: 'u-n1' } } : pod)

describe('a token of a TokenRequest', () => {
  test('bound to a Pod names the Pod, its node and warnafter', async () => {
    const binding = await bindingOf({ kind: 'Pod', apiVersion: 'v1', name: 'web', uid: 'u-web' }, 'robot', read)
    const request = { audiences: ['api'], expirationSeconds: 3607 }
    const token = boundTokenOf(request, { issuer: 'api', account, binding, id: 'id' }, ['api'], 1000)
    expect(JSON.stringify(boundClaims(token))).toBe(
      JSON.stringify({
        aud: ['api'],
        exp: 1000 + 365 * 24 * 3600,
        iat: 1000,
        iss: 'api',
        jti: 'id',
        'kubernetes.io': {
          namespace: 'shop',
          node: { name: 'n1', uid: 'u-n1' },
          pod: { name: 'web', uid: 'u-web' },
          serviceaccount: { name: 'robot', uid: 'u-robot' },
          warnafter: 4607,
        },
        nbf: 1000,
        sub: 'system:serviceaccount:shop:robot',
      }),
    )
  })

  test.each([
    ['for another audience', { audiences: ['api', 'other'], expirationSeconds: 3607 }],
    ['with another lifetime', { audiences: ['api'], expirationSeconds: 3600 }],
  ])('bound to a Pod %s lives as long as requested', async (_what, request) => {
    const binding = await bindingOf({ kind: 'Pod', apiVersion: 'v1', name: 'web' }, 'robot', read)
    const token = boundTokenOf(request, { issuer: 'api', account, binding, id: 'id' }, ['api'], 1000)
    expect(token).toMatchObject({ lifetime: request.expirationSeconds })
    expect(token.warnAfter).toBeUndefined()
  })
})
