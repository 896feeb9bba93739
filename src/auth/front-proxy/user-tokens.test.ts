import { generateKeyPairSync } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { type Signature, signatureOf, type VerificationKeys, verificationKeys } from '../jwt/signature.ts'
import { audienceOf, UserTokenIssuer, UserTokens } from './user-tokens.ts'

const issuer = 'https://kubernetes.default.svc.cluster.local'
const service = { namespace: 'metrics', name: 'api', port: 443 }
const user = { name: 'jane', uid: '7', groups: ['a, b', 'c'], extra: { scopes: ['x', 'y'] } }
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
let keys: VerificationKeys

beforeAll(async () => {
  keys = verificationKeys({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: '1' }] })
})

let signed = 0
const tokens = new UserTokenIssuer((claims) => {
  signed++
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: '1' }).sign(privateKey)
}, issuer)
const reviews = new UserTokens({ signatureOf: (token): Promise<Signature> => signatureOf(token, keys, ['ES256']) }, issuer)

test('a token names the user to one server, and is kept for further requests', async () => {
  const token = await tokens.tokenFor(user, service)
  expect(await tokens.tokenFor(user, service)).toBe(token)
  expect(signed).toBe(1)
  const audience = audienceOf(service)
  expect(await reviews.authenticate(token, ['other', audience])).toEqual({ user, audiences: [audience] })
})

test.each([[[]], [[issuer]], [['https://api.other.svc:443']]])('a token is not valid for the audiences %j', async (audiences) => {
  await expect(reviews.authenticate(await tokens.tokenFor(user, service), audiences)).rejects.toThrow('another audience')
})

test('a token of the server for itself would not be valid either', async () => {
  const claims = { aud: [issuer], exp: Math.floor(Date.now() / 1000) + 60, iss: issuer, user: { username: 'root' } }
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: '1' }).sign(privateKey)
  await expect(reviews.authenticate(token, [issuer])).rejects.toThrow('another audience')
})

test('a changed token is invalid; tokens of other kinds are left to others', async () => {
  const [head, , signature] = (await tokens.tokenFor(user, service)).split('.')
  const claims = { aud: [audienceOf(service)], iss: issuer, exp: 4e9, user: { username: 'root' } }
  const forged = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
  await expect(reviews.authenticate(forged, [audienceOf(service)])).rejects.toThrow('invalid signature')
  expect(await reviews.authenticate('opaque', [audienceOf(service)])).toBeUndefined()
})
