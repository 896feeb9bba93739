/**
 * Which keys sign the tokens of ServiceAccounts, and how long a key is kept. A pure decision of the keys and the time.
 * A new key is published for as long as clients may cache the set before it signs, and stays for as long as a token of it is valid.
 */
import type { JWK } from 'jose'

/** A key as the cluster keeps it. Times are milliseconds since the epoch. */
export interface TokenKey {
  readonly keyId: string
  readonly privateKey: JWK
  readonly publicKey: JWK
  readonly madeAt: number
  /** The last of its tokens is valid until then; `never` where one does not expire. */
  readonly validUntil: number | 'never'
}

/** For how many seconds clients may keep the set of keys. */
export const publishedFor = 3600

const day = 24 * 3600 * 1000
/** A key signs for so long. */
const signsFor = 30 * day
/** Clocks differ: a key is kept that much longer than its last token. */
const leeway = 10 * 60 * 1000

/** What there is to do before the next token is signed. */
export interface Rotation {
  /** The key that signs; undefined where there is none yet. */
  readonly signing: TokenKey | undefined
  /** A further key has to be made. */
  readonly isDue: boolean
  /** The keys to go on with. */
  readonly kept: readonly TokenKey[]
}

/** @param keys in the order in which they were made */
export function rotation(keys: readonly TokenKey[], now: number): Rotation {
  const newest = keys.at(-1)
  // Where no key is old enough, the first one signs: nobody can have cached a set without it.
  const signing = keys.findLast(({ madeAt }) => madeAt <= now - publishedFor * 1000) ?? keys[0]
  const isInUse = (key: TokenKey): boolean =>
    key === newest || key === signing || key.validUntil === 'never' || key.validUntil + leeway > now
  return { signing, isDue: newest === undefined || newest.madeAt <= now - signsFor, kept: keys.filter(isInUse) }
}

/**
 * The key, knowing that it has signed a token that is valid until then. It is noted by the day, so that few tokens cost a write.
 * @returns the same key where it knew
 */
export function withTokenUntil(key: TokenKey, until: number | 'never'): TokenKey {
  if (key.validUntil === 'never') return key
  if (until === 'never') return { ...key, validUntil: 'never' }
  return until <= key.validUntil ? key : { ...key, validUntil: Math.ceil(until / day) * day }
}
