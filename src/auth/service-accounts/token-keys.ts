/** The keys of ServiceAccount tokens, from the Worker's side: it verifies with public keys; the control object signs. */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { fetchInner } from '../../clusters/protocol.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { type KeySet, type Signature, signatureOf, type VerificationKeys, verificationKeys } from '../jwt/signature.ts'

/** The algorithm of all keys that the server generates. */
export const tokenAlgorithm = 'ES256'

/** The paths of the control object for signing and for the public keys. */
export const tokenKeyPaths = { sign: '/tokens', keys: '/token-keys' } as const

/** The minimum interval, in milliseconds, between two fetches of the key set because of an unknown key. */
const refreshPause = 1000

/** The public keys of one cluster, cached in this isolate. */
export class TokenKeys {
  readonly #objects: CollectionClient
  #known: VerificationKeys | undefined
  #askedAt = 0

  constructor(objects: CollectionClient) {
    this.#objects = objects
  }

  /** Signs a token with the cluster's current key. */
  async sign(claims: JsonObject): Promise<string> {
    return (await this.#control(tokenKeyPaths.sign, { method: 'POST', body: JSON.stringify(claims) })).text()
  }

  /** Fetches the current public keys. */
  async published(): Promise<KeySet> {
    return (await this.#control(tokenKeyPaths.keys)).json()
  }

  /** Verifies the signature of a token. An unknown key makes the set be fetched again, at most once a second. */
  async signatureOf(token: string): Promise<Signature> {
    const found = this.#known === undefined ? 'of an unknown key' : await signatureOf(token, this.#known, [tokenAlgorithm])
    if (found !== 'of an unknown key' || Date.now() - this.#askedAt < refreshPause) return found
    const keys = verificationKeys(await this.published())
    this.#known = keys
    // Set after the response has arrived: until then concurrent callers must not be told that the key does not exist.
    this.#askedAt = Date.now()
    return signatureOf(token, keys, [tokenAlgorithm])
  }

  async #control(path: string, init: { method: string; body: string } | undefined = undefined): Promise<Response> {
    const response = await fetchInner(this.#objects.control(), path, init)
    if (!response.ok) throw new Error(`the control object answers ${response.status} to ${path}`)
    return response
  }
}
