/** Public keys that the server accepts in requests for certificates of Pods. */
import { constants, verify } from 'node:crypto'
import { DerError, elementsOf, expected, firstElement, hexOf, tags } from '../../../net/der.ts'

/** A public key (SubjectPublicKeyInfo). */
export interface PublicKey {
  readonly type: 'Ed25519' | 'ECDSA' | 'RSA'
  /** The name of the curve; '' for other keys. */
  readonly curve: string
  /** The size of the modulus; 0 for other keys. */
  readonly bits: number
  readonly der: Uint8Array
}

const types: Readonly<Record<string, PublicKey['type']>> = {
  '2a864886f70d010101': 'RSA',
  '2a8648ce3d0201': 'ECDSA',
  '2b6570': 'Ed25519',
}

/** The curves by object identifier, with Go's names. */
const curves: Readonly<Record<string, string>> = {
  '2b81040021': 'P-224',
  '2a8648ce3d030107': 'P-256',
  '2b81040022': 'P-384',
  '2b81040023': 'P-521',
}

/** Returns the number of bits of an RSA key's modulus, in whole bytes as Go's Size. */
function modulusBits(key: Uint8Array): number {
  const modulus = expected(elementsOf(expected([firstElement(key)], 0, tags.sequence).content), 0, tags.integer).content
  let start = 0
  while (modulus[start] === 0) start++
  return (modulus.length - start) * 8
}

/**
 * Parses a public key.
 * @throws DerError for other bytes, and for a type of keys that is not supported
 */
export function parsePublicKey(der: Uint8Array): PublicKey {
  const outer = firstElement(der)
  if (outer.tag !== tags.sequence || outer.whole.length < der.length) throw new DerError('x509: malformed public key')
  const parts = elementsOf(outer.content)
  const [algorithm, parameters] = elementsOf(expected(parts, 0, tags.sequence).content)
  const type = types[hexOf(algorithm?.content ?? new Uint8Array())]
  if (type === undefined) throw new DerError('x509: unknown public key algorithm')
  const key = expected(parts, 1, tags.bitString).content.subarray(1)
  const curve = type === 'ECDSA' ? curves[hexOf(parameters?.content ?? new Uint8Array())] : ''
  if (curve === undefined) throw new DerError('x509: unsupported elliptic curve')
  return { type, curve, bits: type === 'RSA' ? modulusBits(key) : 0, der }
}

/** Verifies a proof of possession: a signature of the bytes by the key, with SHA-256 except for Ed25519. */
export function isSignedBy({ type, der }: PublicKey, bytes: Uint8Array, signature: Uint8Array): boolean {
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
  const key = { key: Buffer.from(der), format: 'der', type: 'spki', ...(type === 'RSA' && pss) } as const
  try {
    return verify(type === 'Ed25519' ? null : 'sha256', bytes, key, signature)
  } catch {
    return false
  }
}
