/** The public keys of an OpenID Connect issuer: fetched on first use, and again for an unknown key ID. */

import { boundedText } from '../../net/bounded-text.ts'
import type { Fetch } from '../ca-fetch.ts'
import type { JwtAuthenticator } from '../configuration.ts'
import { type KeySet, type Signature, signatureOf, type VerificationKeys, verificationKeys } from '../jwt/signature.ts'

/** The age, in milliseconds, after which keys are fetched again, */
const maximumAge = 10 * 60 * 1000
/** but not more often than this, even if many tokens name unknown key IDs. */
const pause = 10 * 1000
/** Limits for the issuer's responses: milliseconds, bytes, and number of keys. */
const timeout = 10_000
const maximumBytes = 1024 * 1024
const maximumKeys = 100

/** All algorithms that kube-apiserver allows in its configuration. */
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512']

/** The key set of one issuer, cached in this isolate. */
export class IssuerKeys {
  readonly #issuer: string
  readonly #place: JwtAuthenticator['keys']
  readonly #fetch: Fetch
  readonly #now: () => number
  #keys: VerificationKeys | undefined
  #loading: Promise<VerificationKeys> | undefined
  #fetchedAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY

  /** @param issuer the value of `issuer` that the discovery document must have */
  constructor(issuer: string, place: JwtAuthenticator['keys'], fetch: Fetch, now: () => number = Date.now) {
    this.#issuer = issuer
    this.#place = place
    this.#fetch = fetch
    this.#now = now
  }

  /**
   * Verifies the signature of a token.
   * @throws Error if the key is unknown and the issuer cannot be reached
   */
  async signatureOf(token: string): Promise<Signature> {
    const now = this.#now()
    const found = this.#keys === undefined ? 'of an unknown key' : await signatureOf(token, this.#keys, algorithms)
    const isUnknown = found === 'of an unknown key'
    if ((!isUnknown && now - this.#fetchedAt < maximumAge) || now - this.#triedAt < pause) return found
    try {
      // Concurrent callers share one fetch.
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined
      })
      const keys = await this.#loading
      this.#keys = keys
      this.#fetchedAt = this.#now()
      return await signatureOf(token, keys, algorithms)
    } catch (error) {
      // While the issuer is down, tokens signed with known keys stay valid.
      if (isUnknown) throw error
      return found
    } finally {
      // Set after the response has arrived: until then concurrent callers must not be told that the key does not exist.
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
