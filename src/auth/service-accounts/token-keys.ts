/** The keys of ServiceAccounts' tokens as a Worker sees them: public ones to verify with, and a control object that signs. */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { type KeySet, type Signature, signatureOf, type VerificationKeys, verificationKeys } from '../jwt/signature.ts'

/** The algorithm of all keys that the server makes. */
export const tokenAlgorithm = 'ES256'

/** Where the control object signs and publishes. */
export const tokenKeyPaths = { sign: '/tokens', keys: '/token-keys' } as const

/** How often, in milliseconds, a key that nobody knows makes the set be asked for at most. */
const refreshPause = 1000

/** One cluster's keys in this isolate. */
export class TokenKeys {
  readonly #objects: CollectionClient
  #known: VerificationKeys | undefined
  #askedAt = 0

  constructor(objects: CollectionClient) {
    this.#objects = objects
  }

  /** A token that says this, signed by the cluster's current key. */
  async sign(claims: JsonObject): Promise<string> {
    return (await this.#control(tokenKeyPaths.sign, { method: 'POST', body: JSON.stringify(claims) })).text()
  }

  /** The public keys as they are now. */
  async published(): Promise<KeySet> {
    return (await this.#control(tokenKeyPaths.keys)).json()
  }

  /** Who has signed a token. For a key that is not known here the set is asked for again, though not more than once a second. */
  async signatureOf(token: string): Promise<Signature> {
    const found = this.#known === undefined ? 'of an unknown key' : await signatureOf(token, this.#known, [tokenAlgorithm])
    if (found !== 'of an unknown key' || Date.now() - this.#askedAt < refreshPause) return found
    const keys = verificationKeys(await this.published())
    this.#known = keys
    // Not before the answer is here: who asks meanwhile must not be told that there is no such key.
    this.#askedAt = Date.now()
    return signatureOf(token, keys, [tokenAlgorithm])
  }

  async #control(path: string, init: { method: string; body: string } | undefined = undefined): Promise<Response> {
    const response = await this.#objects.control().fetch(`http://control${path}`, init)
    if (!response.ok) throw new Error(`the control object answers ${response.status} to ${path}`)
    return response
  }
}
