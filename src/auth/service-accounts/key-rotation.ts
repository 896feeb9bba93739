/**
 * Rotation of the keys that sign ServiceAccount tokens: a pure decision from the keys and the time. A new key is published for as
 * long as clients may cache the key set before it signs, and is kept while a token signed by it is valid.
 */
import type { JWK } from 'jose'

/** A stored key. Times are milliseconds since the epoch. */
export interface TokenKey {
  readonly keyId: string
  readonly privateKey: JWK
  readonly publicKey: JWK
  readonly madeAt: number
  /** The expiry of its longest-living token; `never` if one does not expire. */
  readonly validUntil: number | 'never'
}

/** The time for which clients may cache the key set, in seconds. */
export const publishedFor = 3600

const day = 24 * 3600 * 1000
/** The time for which a key signs, in milliseconds. */
const signsFor = 30 * day
/** The tolerated clock difference, in milliseconds: a key is kept that much longer than its last token. */
const leeway = 10 * 60 * 1000

/** The result of the decision. */
export interface Rotation {
  /** The key that signs; undefined if there is no key yet. */
  readonly signing: TokenKey | undefined
  /** Whether another key has to be generated. */
  readonly isDue: boolean
  /** The keys to keep. */
  readonly kept: readonly TokenKey[]
}

/**
 * Decides which key signs, and which keys to keep.
 * @param keys in the order in which they were made
 */
export function rotation(keys: readonly TokenKey[], now: number): Rotation {
  const newest = keys.at(-1)
  // If no key is old enough, the first one signs: no client can have cached a set without it.
  const signing = keys.findLast(({ madeAt }) => madeAt <= now - publishedFor * 1000) ?? keys[0]
  const isInUse = (key: TokenKey): boolean =>
    key === newest || key === signing || key.validUntil === 'never' || key.validUntil + leeway > now
  return { signing, isDue: newest === undefined || newest.madeAt <= now - signsFor, kept: keys.filter(isInUse) }
}

/**
 * Records that the key has signed a token that is valid until `until`. The time is rounded up to days, so that most tokens cost
 * no write.
 * @returns the same key if nothing changed
 */
export function withTokenUntil(key: TokenKey, until: number | 'never'): TokenKey {
  if (key.validUntil === 'never') return key
  if (until === 'never') return { ...key, validUntil: 'never' }
  return until <= key.validUntil ? key : { ...key, validUntil: Math.ceil(until / day) * day }
}
