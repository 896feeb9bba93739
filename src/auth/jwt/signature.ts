/**
 * Signatures of JSON Web Tokens. A token's header chooses among keys and never what a key does: no `none`, and no algorithm
 * with a secret that both sides know, for which a public key would do.
 */
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose'

/** Public keys by which tokens are verified, each imported once. */
export type VerificationKeys = ReturnType<typeof createLocalJWKSet>

/** A JWK Set of RFC 7517. */
export type KeySet = JSONWebKeySet

/** @throws Error where the set is none */
export const verificationKeys = (keys: KeySet): VerificationKeys => createLocalJWKSet(keys)

/** Whether a token is signed by one of the keys. */
export type Signature = 'valid' | 'invalid' | 'of an unknown key'

/**
 * Looks who has signed the token.
 * @param algorithms the asymmetric ones that are taken
 */
export async function signatureOf(token: string, keys: VerificationKeys, algorithms: readonly string[]): Promise<Signature> {
  const options = { algorithms: [...algorithms] }
  try {
    await compactVerify(token, keys, options)
    return 'valid'
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'of an unknown key'
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return 'invalid'
    // The token does not say which: it may be any.
    for await (const key of error) {
      const found = await compactVerify(token, key, options).catch(() => undefined)
      if (found !== undefined) return 'valid'
    }
    return 'invalid'
  }
}
