/** Signatures of JSON Web Tokens, verified by WebCrypto. Follows RFC 7518: the algorithms that sign with a private key. */
import type { CompactToken } from './compact.ts'

/** A key that verifies with one algorithm and no other: what a token's header says chooses among keys, never what a key does. */
export interface VerificationKey {
  readonly keyId: string
  readonly algorithm: string
  readonly key: CryptoKey
}

interface Algorithm {
  readonly keyType: 'EC' | 'RSA'
  readonly curve?: string
  readonly imported: SubtleCryptoImportKeyAlgorithm
  readonly verified: SubtleCryptoSignAlgorithm
}

const ecdsa = (namedCurve: string, hash: string): Algorithm => ({
  keyType: 'EC',
  curve: namedCurve,
  imported: { name: 'ECDSA', namedCurve },
  verified: { name: 'ECDSA', hash },
})

const rsa = (hash: string): Algorithm => ({
  keyType: 'RSA',
  imported: { name: 'RSASSA-PKCS1-v1_5', hash },
  verified: { name: 'RSASSA-PKCS1-v1_5' },
})

const pss = (hash: string, saltLength: number): Algorithm => ({
  keyType: 'RSA',
  imported: { name: 'RSA-PSS', hash },
  verified: { name: 'RSA-PSS', saltLength },
})

/** No `none`, and none with a secret that both sides know: a public key is such a secret to everybody. */
const algorithms: ReadonlyMap<string, Algorithm> = new Map([
  ['ES256', ecdsa('P-256', 'SHA-256')],
  ['ES384', ecdsa('P-384', 'SHA-384')],
  ['ES512', ecdsa('P-521', 'SHA-512')],
  ['RS256', rsa('SHA-256')],
  ['RS384', rsa('SHA-384')],
  ['RS512', rsa('SHA-512')],
  ['PS256', pss('SHA-256', 32)],
  ['PS384', pss('SHA-384', 48)],
  ['PS512', pss('SHA-512', 64)],
])

/** A public key as RFC 7517 has it. Extra members are ignored. */
export interface PublicKey {
  readonly kty?: string
  readonly use?: string
  readonly kid?: string
  readonly alg?: string
  readonly crv?: string
  readonly [member: string]: unknown
}

/** Whether a key says nothing against being used with an algorithm. */
function fits({ kty, use, alg, crv }: PublicKey, name: string, { keyType, curve }: Algorithm): boolean {
  return kty === keyType && (use ?? 'sig') === 'sig' && (alg ?? name) === name && (curve === undefined || crv === curve)
}

/** The members of a key that make it public: what else a document holds is not imported. */
const publicMembers = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const

/**
 * Imports a key for every algorithm of `allowed` that it fits; nothing for keys that cannot be read.
 * @param keyId in place of the key's own
 */
export async function importKey(
  key: PublicKey,
  allowed: readonly string[],
  keyId: string = typeof key.kid === 'string' ? key.kid : '',
): Promise<VerificationKey[]> {
  const imported: VerificationKey[] = []
  const members = Object.fromEntries(publicMembers.flatMap((name) => (typeof key[name] === 'string' ? [[name, key[name]]] : [])))
  for (const name of allowed) {
    const algorithm = algorithms.get(name)
    if (algorithm === undefined || !fits(key, name, algorithm)) continue
    try {
      const usable = await crypto.subtle.importKey('jwk', members as unknown as JsonWebKey, algorithm.imported, false, ['verify'])
      imported.push({ keyId, algorithm: name, key: usable })
    } catch {
      // A set may hold keys that are none: the others still count.
    }
  }
  return imported
}

/** Whether one of the keys has signed the token. */
export async function isSignedBy(token: CompactToken, keys: readonly VerificationKey[]): Promise<boolean> {
  const algorithm = algorithms.get(token.algorithm)
  if (algorithm === undefined) return false
  for (const { algorithm: name, key } of keys) {
    if (name !== token.algorithm) continue
    if (await crypto.subtle.verify(algorithm.verified, key, token.signature, token.signed)) return true
  }
  return false
}
