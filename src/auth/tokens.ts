/** Bearer tokens that the deployment itself knows. */
import { timingSafeEqual } from 'node:crypto'
import type { User } from '../meta/user.ts'
import { admin } from './user.ts'

const encoder = new TextEncoder()

/** Knows the admin token and compares in a time that does not tell how much of a guess is right. */
export class StaticTokens {
  readonly #admin: Uint8Array

  /** @param adminToken '' where the deployment has none: then no token is valid */
  constructor(adminToken: string) {
    this.#admin = encoder.encode(adminToken)
  }

  /** Whose token it is; undefined for a token that nobody has. */
  authenticate(token: string): User | undefined {
    const given = encoder.encode(token)
    if (given.length === 0 || given.length !== this.#admin.length) return undefined
    return timingSafeEqual(given, this.#admin) ? admin : undefined
  }
}
