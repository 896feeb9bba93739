/** The public keys of an OpenID Connect issuer: fetched when they are first needed, and again for a key that nobody knows. */

import { boundedText } from '../bounded-text.ts'
import type { Fetch } from '../ca-fetch.ts'
import type { JwtAuthenticator } from '../configuration.ts'
import { type KeySet, type Signature, signatureOf, type VerificationKeys, verificationKeys } from '../jwt/signature.ts'

/** Keys are fetched again after so many milliseconds, */
const maximumAge = 10 * 60 * 1000
/** but not more often than this, however many tokens name keys that are not there. */
const pause = 10 * 1000
/** How long an issuer may take to answer, and how much it may say. */
const timeout = 10_000
const maximumBytes = 1024 * 1024
const maximumKeys = 100

/** Of the algorithms that kube-apiserver allows to be configured, all. */
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512']

/** One issuer's keys in this isolate. */
export class IssuerKeys {
  readonly #issuer: string
  readonly #place: JwtAuthenticator['keys']
  readonly #fetch: Fetch
  readonly #now: () => number
  #keys: VerificationKeys | undefined
  #loading: Promise<VerificationKeys> | undefined
  #fetchedAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY

  /** @param issuer as the discovery document must name it */
  constructor(issuer: string, place: JwtAuthenticator['keys'], fetch: Fetch, now: () => number = Date.now) {
    this.#issuer = issuer
    this.#place = place
    this.#fetch = fetch
    this.#now = now
  }

  /**
   * Who has signed a token.
   * @throws Error where the issuer cannot be asked and the key is not known
   */
  async signatureOf(token: string): Promise<Signature> {
    const now = this.#now()
    const found = this.#keys === undefined ? 'of an unknown key' : await signatureOf(token, this.#keys, algorithms)
    const isUnknown = found === 'of an unknown key'
    if ((!isUnknown && now - this.#fetchedAt < maximumAge) || now - this.#triedAt < pause) return found
    try {
      // Who comes while they are on their way waits for the same answer.
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined
      })
      const keys = await this.#loading
      this.#keys = keys
      this.#fetchedAt = this.#now()
      return await signatureOf(token, keys, algorithms)
    } catch (error) {
      // An issuer that is away for a while does not end what it has signed.
      if (isUnknown) throw error
      return found
    } finally {
      // Not before the answer is here: who asks meanwhile must not be told that there is no such key.
      this.#triedAt = this.#now()
    }
  }

  async #load(): Promise<VerificationKeys> {
    const uri = this.#place.at === 'key set' ? this.#place.url : await this.#discover(this.#place.url)
    const { keys } = (await this.#get(uri)) as { readonly keys?: unknown }
    if (!Array.isArray(keys)) throw new Error('the key set has no keys')
    const objects = keys.slice(0, maximumKeys).filter((key) => typeof key === 'object' && key !== null)
    return verificationKeys({ keys: objects as KeySet['keys'] })
  }

  async #discover(url: string): Promise<string> {
    const document = (await this.#get(url)) as { readonly issuer?: unknown; readonly jwks_uri?: unknown }
    if (document.issuer !== this.#issuer) throw new Error('the discovery document names another issuer')
    const { jwks_uri: uri } = document
    if (typeof uri !== 'string' || !uri.startsWith('https://')) throw new Error('the discovery document has no https jwks_uri')
    return uri
  }

  async #get(url: string): Promise<object> {
    const response = await this.#fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeout) })
    if (response.status !== 200) throw new Error(`${url} answers ${response.status}`)
    const value: unknown = JSON.parse(await boundedText(response, maximumBytes))
    if (typeof value !== 'object' || value === null) throw new Error(`${url} answers no object`)
    return value
  }
}
