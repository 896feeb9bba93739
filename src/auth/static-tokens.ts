/**
 * Static bearer tokens of the deployment: the administrator's token and those of a list. Only their hashes are kept in memory.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { User } from '../meta/user.ts'
import { admin } from './user.ts'

interface StaticToken {
  readonly hash: Uint8Array
  readonly user: User
}

const hashPrefix = 'sha256:'

const hashOf = (token: string): Uint8Array => createHash('sha256').update(token).digest()

/**
 * Returns the hash of a secret that is given as `sha256:<64 hexadecimal digits>` or in plain text.
 * @throws Error if it begins with the prefix but is not a hash
 */
function readSecret(secret: string): Uint8Array {
  if (!secret.startsWith(hashPrefix)) return hashOf(secret)
  const digits = secret.slice(hashPrefix.length)
  if (!/^[0-9a-f]{64}$/i.test(digits)) throw new Error('a token of the deployment is no SHA-256 in hexadecimal digits')
  return Buffer.from(digits, 'hex')
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string')

function readEntry(entry: unknown, index: number): StaticToken {
  const wrong = (what: string): Error => new Error(`STATIC_TOKENS: entry ${index} ${what}`)
  if (typeof entry !== 'object' || entry === null) throw wrong('is no object')
  const { token, user, uid = '', groups = [] } = entry as Readonly<Record<string, unknown>>
  if (typeof token !== 'string' || token === '') throw wrong('has no token')
  if (typeof user !== 'string' || user === '') throw wrong('has no user')
  if (typeof uid !== 'string') throw wrong('has a uid that is no text')
  if (!isTexts(groups)) throw wrong('has groups that are no list of texts')
  return { hash: readSecret(token), user: { name: user, uid, groups, extra: {} } }
}

function readList(json: string): StaticToken[] {
  if (json === '') return []
  let list: unknown
  try {
    list = JSON.parse(json)
  } catch {
    // The parser's message would reveal part of the secret.
    throw new Error('STATIC_TOKENS is no JSON')
  }
  if (!Array.isArray(list)) throw new Error('STATIC_TOKENS is no list')
  return list.map(readEntry)
}

/** The static tokens. Comparisons take constant time, so that they do not reveal how much of a guess is right. */
export class StaticTokens {
  readonly #tokens: readonly StaticToken[]

  /**
   * @param adminToken the administrator's token or its hash; '' if the deployment has no such token
   * @param list JSON: `[{"token": "sha256:…", "user": "…", "uid": "…", "groups": ["…"]}]`; '' for an empty list
   * @throws Error for a list that cannot be read: a server that ignored it would not do what its operator expects
   */
  constructor(adminToken: string, list = '') {
    const ofAdmin = adminToken === '' ? [] : [{ hash: readSecret(adminToken), user: admin }]
    this.#tokens = [...ofAdmin, ...readList(list)]
  }

  /** Returns the user of a token; undefined if the token is unknown. */
  holderOf(token: string): User | undefined {
    if (token === '') return undefined
    const hash = hashOf(token)
    let user: User | undefined
    // All tokens are compared, so that the time does not reveal the position in the list.
    for (const known of this.#tokens) if (timingSafeEqual(hash, known.hash)) user ??= known.user
    return user
  }
}
