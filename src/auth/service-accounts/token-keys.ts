/** The keys of ServiceAccounts' tokens as a Worker sees them: public ones to verify with, and a control object that signs. */
import type { Objects } from '../../clusters/objects.ts'
import { controlOf } from '../../clusters/placement.ts'
import type { JsonObject } from '../../meta/json-value.ts'
import { importKey, type PublicKey, type VerificationKey } from '../jwt/verification.ts'

/** The algorithm of all keys that the server makes. */
export const tokenAlgorithm = 'ES256'

/** Where the control object signs and publishes. */
export const tokenKeyPaths = { sign: '/tokens', keys: '/token-keys' } as const

/** How often, in milliseconds, a key that nobody knows makes the set be asked for at most. */
const refreshPause = 1000

/** A JWK Set of RFC 7517. */
export interface KeySet {
  readonly keys: readonly PublicKey[]
}

/** One cluster's keys in this isolate. */
export class TokenKeys {
  readonly #objects: Objects
  readonly #cluster: string
  #known = new Map<string, readonly VerificationKey[]>()
  #askedAt = 0

  constructor(objects: Objects, cluster: string) {
    this.#objects = objects
    this.#cluster = cluster
  }

  /** A token that says this, signed by the cluster's current key. */
  async sign(claims: JsonObject): Promise<string> {
    return (await this.#control(tokenKeyPaths.sign, { method: 'POST', body: JSON.stringify(claims) })).text()
  }

  /** The public keys as they are now. */
  async published(): Promise<KeySet> {
    return (await this.#control(tokenKeyPaths.keys)).json()
  }

  /** The keys of this id, all where it is ''. One that is not known here is asked for, though not more than once a second. */
  async verificationKeys(keyId: string): Promise<readonly VerificationKey[]> {
    const known = this.#find(keyId)
    if (known.length > 0 || Date.now() - this.#askedAt < refreshPause) return known
    const { keys } = await this.published()
    // Not before the answer is here: who asks meanwhile must not be told that there is no such key.
    this.#askedAt = Date.now()
    const imported = await Promise.all(keys.map((key) => importKey(key, [tokenAlgorithm])))
    this.#known = new Map(imported.flatMap((of) => (of[0] === undefined ? [] : [[of[0].keyId, of]])))
    return this.#find(keyId)
  }

  #find(keyId: string): readonly VerificationKey[] {
    return keyId === '' ? [...this.#known.values()].flat() : (this.#known.get(keyId) ?? [])
  }

  async #control(path: string, init: { method: string; body: string } | undefined = undefined): Promise<Response> {
    const response = await this.#objects.get(controlOf(this.#cluster)).fetch(`http://control${path}`, init)
    if (!response.ok) throw new Error(`the control object answers ${response.status} to ${path}`)
    return response
  }
}
