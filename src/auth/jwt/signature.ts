/**
 * Verifies signatures of JSON Web Tokens. The token's header selects one of our keys but never the algorithm of a key: `none` is
 * refused, and so are symmetric algorithms, for which a public key could serve as the secret.
 */
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose'

/** The public keys that verify tokens, each imported once. */
export type VerificationKeys = ReturnType<typeof createLocalJWKSet>

/** A JWK Set of RFC 7517. */
export type KeySet = JSONWebKeySet

/**
 * Imports a key set.
 * @throws Error if it is not a JWK Set
 */
export const verificationKeys = (keys: KeySet): VerificationKeys => createLocalJWKSet(keys)

/** The result of a verification. */
export type Signature = 'valid' | 'invalid' | 'of an unknown key'

/**
 * Verifies the signature of a token.
 * @param algorithms the accepted asymmetric algorithms
 */
export async function signatureOf(token: string, keys: VerificationKeys, algorithms: readonly string[]): Promise<Signature> {
  const options = { algorithms: [...algorithms] }
  try {
    await compactVerify(token, keys, options)
    return 'valid'
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'of an unknown key'
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return 'invalid'
    // The token has no `kid`: each key is tried.
    for await (const key of error) {
      const found = await compactVerify(token, key, options).catch(() => undefined)
      if (found !== undefined) return 'valid'
    }
    return 'invalid'
  }
}
