/** The signatures by which servers prove that they have the keys of their certificates. */
import { type KeyObject, verify } from 'node:crypto'
import { TlsError } from './bytes.ts'

/** The longest public key in bytes: as Go, RSA up to 8192 bits. */
const longestKey = 1100

interface SignatureScheme {
  readonly hash: string | null
  /** The type of key. */
  readonly key: 'ec' | 'rsa' | 'ed25519'
  /** The length of the salt of RSA-PSS. */
  readonly salt?: number
  /** In TLS 1.3, only for the signatures in certificates. */
  readonly inCertificates?: true
}

/** The supported schemes by their numbers, the preferred first. */
export const signatureSchemes: ReadonlyMap<number, SignatureScheme> = new Map([
  [0x0403, { hash: 'sha256', key: 'ec' }],
  [0x0503, { hash: 'sha384', key: 'ec' }],
  [0x0603, { hash: 'sha512', key: 'ec' }],
  [0x0804, { hash: 'sha256', key: 'rsa', salt: 32 }],
  [0x0805, { hash: 'sha384', key: 'rsa', salt: 48 }],
  [0x0806, { hash: 'sha512', key: 'rsa', salt: 64 }],
  [0x0807, { hash: null, key: 'ed25519' }],
  [0x0401, { hash: 'sha256', key: 'rsa', inCertificates: true }],
  [0x0501, { hash: 'sha384', key: 'rsa', inCertificates: true }],
  [0x0601, { hash: 'sha512', key: 'rsa', inCertificates: true }],
])

/** Whether a signature was made with a key. The runtime's `verify` ignores the padding of RSA. */
async function hasSigned(
  key: KeyObject,
  { hash, salt }: SignatureScheme,
  signed: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  if (salt === undefined) return verify(hash, Buffer.from(signed), key, Buffer.from(signature))
  const algorithm = { name: 'RSA-PSS', hash: `SHA-${salt * 8}` }
  const spki = new Uint8Array(key.export({ type: 'spki', format: 'der' }))
  const imported = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify'])
  return crypto.subtle.verify(
    { name: 'RSA-PSS', saltLength: salt },
    imported,
    signature as Uint8Array<ArrayBuffer>,
    signed as Uint8Array<ArrayBuffer>,
  )
}

/**
 * Checks a signature of the server.
 * @param scheme its number
 * @param version of the protocol
 * @throws TlsError if the server does not have the key
 */
export async function checkSignature(
  publicKey: KeyObject,
  { scheme: id, signed, signature }: { readonly scheme: number; readonly signed: Uint8Array; readonly signature: Uint8Array },
  version: 'TLS 1.2' | 'TLS 1.3',
): Promise<void> {
  const scheme = signatureSchemes.get(id)
  const isAllowed = scheme?.inCertificates !== true || version === 'TLS 1.2'
  if (scheme === undefined || !isAllowed || scheme.key !== publicKey.asymmetricKeyType)
    throw new TlsError('tls: certificate used with invalid signature algorithm')
  if (publicKey.export({ type: 'spki', format: 'der' }).length > longestKey)
    throw new TlsError('tls: server sent certificate containing RSA key larger than 8192 bits')
  if (!(await hasSigned(publicKey, scheme, signed, signature)))
    throw new TlsError('tls: invalid signature by the server certificate')
}
