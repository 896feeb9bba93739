/** The keys of ServiceAccount tokens, from the Worker's side: it verifies with public keys; the control object signs. */

import type { CollectionClient } from '../../clusters/collection-client.ts'
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { send } from '../../clusters/message.ts'
import { StrangerRead, StrangerTurns } from '../../clusters/stranger-reads.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { type KeySet, type Signature, signatureOf, type VerificationKeys, verificationKeys } from '../jwt/signature.ts'

/** The algorithm of the keys that the server generates. */
export const tokenAlgorithm = 'ES256'

/** The time in milliseconds for which a fetched key set is complete: a key that is not in it is unknown. */
const refreshPause = 1000

/** The public keys of one cluster, cached in this isolate. */
export class TokenKeys {
  readonly #objects: CollectionClient
  readonly #reads: StrangerRead<void>
  #known: VerificationKeys | undefined
  #algorithms: readonly string[] = [tokenAlgorithm]
  #askedAt = 0

  /** @param turns the budget for reads on behalf of strangers, because anybody can send a token with an unknown key */
  constructor(objects: CollectionClient, turns = new StrangerTurns()) {
    this.#objects = objects
    this.#reads = new StrangerRead(turns, () => this.#refresh())
  }

  /** Signs a token with the cluster's current key. */
  async sign(claims: JsonObject): Promise<string> {
    return send(this.#objects.control(), controlProtocol.signToken, claims)
  }

  /** Fetches the current public keys. */
  async published(): Promise<KeySet> {
    return send(this.#objects.control(), controlProtocol.tokenKeys)
  }

  /** Verifies the signature of a token. An unknown key makes the set be fetched again, within the budget of strangers. */
  async signatureOf(token: string): Promise<Signature> {
    const found = await this.#verify(token)
    if (found !== 'of an unknown key' || Date.now() - this.#askedAt < refreshPause) return found
    await this.#reads.next()
    return this.#verify(token)
  }

  async #verify(token: string): Promise<Signature> {
    return this.#known === undefined ? 'of an unknown key' : signatureOf(token, this.#known, this.#algorithms)
  }

  async #refresh(): Promise<void> {
    const at = Date.now()
    const published = await this.published()
    this.#known = verificationKeys(published)
    this.#algorithms = published.keys.map(({ alg = tokenAlgorithm }) => alg)
    this.#askedAt = at
  }
}
