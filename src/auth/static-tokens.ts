/** Bearer tokens that the deployment itself knows: the administrator's, and those of a list. The server holds hashes alone. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { User } from '../meta/user.ts'
import { admin } from './user.ts'

/** A token's SHA-256 and its holder. */
interface StaticToken {
  readonly hash: Uint8Array
  readonly user: User
}

const hashPrefix = 'sha256:'

const hashOf = (token: string): Uint8Array => createHash('sha256').update(token).digest()

/**
 * The hash of a secret, which is `sha256:<64 hexadecimal digits>` or the token itself.
 * @throws Error for what says that it is a hash and is none
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
    // The parser's message would show a part of the secret.
    throw new Error('STATIC_TOKENS is no JSON')
  }
  if (!Array.isArray(list)) throw new Error('STATIC_TOKENS is no list')
  return list.map(readEntry)
}

/** Knows the deployment's tokens and compares in a time that does not tell how much of a guess is right. */
export class StaticTokens {
  readonly #tokens: readonly StaticToken[]

  /**
   * @param adminToken the administrator's, or its hash; '' where the deployment has none
   * @param list JSON: `[{"token": "sha256:…", "user": "…", "uid": "…", "groups": ["…"]}]`; '' for none
   * @throws Error for a list that cannot be read: a server that ignored it would not do what its operator believes
   */
  constructor(adminToken: string, list = '') {
    const ofAdmin = adminToken === '' ? [] : [{ hash: readSecret(adminToken), user: admin }]
    this.#tokens = [...ofAdmin, ...readList(list)]
  }

  /** Whose token it is; undefined for a token that nobody has. */
  holderOf(token: string): User | undefined {
    if (token === '') return undefined
    const hash = hashOf(token)
    let user: User | undefined
    // All are compared, so that the time tells nothing of the place in the list either.
    for (const known of this.#tokens) if (timingSafeEqual(hash, known.hash)) user ??= known.user
    return user
  }
}
