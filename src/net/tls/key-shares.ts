/** The keys of an exchange by elliptic curves: the same groups in TLS 1.2 and TLS 1.3. */
import { TlsError } from './bytes.ts'

/** The numbers of the supported groups. */
export const groups = { x25519: 0x001d, p256: 0x0017 } as const

/** A key pair for each group. */
export interface KeyShares {
  readonly x25519: CryptoKeyPair
  readonly p256: CryptoKeyPair
}

const algorithms = { x25519: { name: 'X25519' }, p256: { name: 'ECDH', namedCurve: 'P-256' } } as const

type GroupName = keyof typeof algorithms

/** Generates a key pair for each group. */
export const generateShares = async (): Promise<KeyShares> => ({ x25519: await generate('x25519'), p256: await generate('p256') })

const generate = async (group: GroupName): Promise<CryptoKeyPair> =>
  (await crypto.subtle.generateKey(algorithms[group], true, ['deriveBits'])) as CryptoKeyPair

/** Returns the public key of a pair, as it is sent. */
export const rawKey = async ({ publicKey }: CryptoKeyPair): Promise<Uint8Array> =>
  new Uint8Array((await crypto.subtle.exportKey('raw', publicKey)) as ArrayBuffer)

/** The server's choice of a group, and its public key. */
export interface ServerShare {
  readonly group: number
  readonly key: Uint8Array
}

/** Returns the key pair of a group. @throws TlsError for another group */
export function shareOf(shares: KeyShares, group: number): CryptoKeyPair {
  if (group === groups.x25519) return shares.x25519
  if (group === groups.p256) return shares.p256
  throw new TlsError('tls: server selected unsupported group')
}

/** Returns the result of the exchange. @throws TlsError for a group that was not offered, or a key that is not in it */
export async function sharedSecret(shares: KeyShares, { group, key }: ServerShare): Promise<Uint8Array> {
  const { privateKey } = shareOf(shares, group)
  const algorithm = group === groups.x25519 ? algorithms.x25519 : algorithms.p256
  const theirs = await crypto.subtle.importKey('raw', key as Uint8Array<ArrayBuffer>, algorithm, false, [])
  // The types of the runtime call the other side's key `$public`.
  const derivation = { name: algorithm.name, public: theirs } as unknown as SubtleCryptoDeriveKeyAlgorithm
  return new Uint8Array(await crypto.subtle.deriveBits(derivation, privateKey, 256))
}
