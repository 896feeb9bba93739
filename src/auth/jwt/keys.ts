/** Makes keys for JSON Web Tokens, and signs with them. */
import { base64url, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import type { JsonObject } from '../../go/json-value.ts'
import type { TokenKey } from '../service-accounts/key-rotation.ts'

/** A private key that can be signed with. */
export type SigningKey = Awaited<ReturnType<typeof importJWK>>

/**
 * Generates a key pair. Its ID is the hash of the public key, as in kube-apiserver.
 * @param algorithm one of RFC 7518 for elliptic curves
 * @param now milliseconds since the epoch
 */
export async function makeKey(algorithm: string, now: number): Promise<TokenKey> {
  const pair = await generateKeyPair(algorithm, { extractable: true })
  const spki = (await crypto.subtle.exportKey('spki', pair.publicKey)) as ArrayBuffer
  const keyId = base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', spki)))
  const { crv = '', x = '', y = '' } = await exportJWK(pair.publicKey)
  const publicKey = { use: 'sig', kty: 'EC', kid: keyId, crv, alg: algorithm, x, y }
  return { keyId, privateKey: await exportJWK(pair.privateKey), publicKey, madeAt: now, validUntil: 0 }
}

/** Imports a private key. @throws Error if it is not a key for the algorithm */
export async function importKey(key: JWK, algorithm: string): Promise<SigningKey> {
  return await importJWK(key, algorithm)
}

/** Signs a token with these claims (RFC 7515, compact). */
export async function signedToken(
  claims: JsonObject,
  header: { readonly alg: string; readonly kid: string },
  key: SigningKey,
): Promise<string> {
  return await new SignJWT(claims).setProtectedHeader(header).sign(key)
}
