/** The public keys of an OpenID Connect issuer: fetched when they are first needed, and again for a key that nobody knows. */
import { importKey, type PublicKey, type VerificationKey } from '../jwt/verification.ts'

/** What is fetched from issuers. The runtime's own, or a test's. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Keys are fetched again after so many milliseconds, */
const maximumAge = 10 * 60 * 1000
/** but not more often than this, however many tokens name keys that are not there. */
const pause = 10 * 1000
/** How long an issuer may take to answer, and how much it may say. */
const timeout = 10_000
const maximumBytes = 1024 * 1024
const maximumKeys = 100

/** What kube-apiserver takes of an issuer where nothing is configured, and what follows of it. */
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512']

/** One issuer's keys in this isolate. */
export class IssuerKeys {
  readonly #issuer: string
  readonly #discoveryUrl: string
  readonly #fetch: Fetch
  readonly #now: () => number
  #keys: readonly VerificationKey[] = []
  #fetchedAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY

  /** @param issuer as the discovery document must name it */
  constructor(issuer: string, discoveryUrl: string, fetch: Fetch, now: () => number = Date.now) {
    this.#issuer = issuer
    this.#discoveryUrl = discoveryUrl
    this.#fetch = fetch
    this.#now = now
  }

  /**
   * The keys of this id, all where it is ''.
   * @throws Error where the issuer cannot be asked and its keys are not known
   */
  async find(keyId: string): Promise<readonly VerificationKey[]> {
    const now = this.#now()
    const known = this.#known(keyId)
    const isFresh = now - this.#fetchedAt < maximumAge
    if (known.length > 0 && isFresh) return known
    if (now - this.#triedAt < pause) return known
    try {
      this.#keys = await this.#load()
      this.#fetchedAt = this.#now()
    } catch (error) {
      // An issuer that is away for a while does not end what it has signed.
      if (known.length === 0) throw error
    } finally {
      // Not before the answer is here: who asks meanwhile must not be told that there is no such key.
      this.#triedAt = this.#now()
    }
    return this.#known(keyId)
  }

  #known(keyId: string): readonly VerificationKey[] {
    return keyId === '' ? this.#keys : this.#keys.filter((key) => key.keyId === keyId)
  }

  async #load(): Promise<VerificationKey[]> {
    const discovery = (await this.#get(this.#discoveryUrl)) as { readonly issuer?: unknown; readonly jwks_uri?: unknown }
    if (discovery.issuer !== this.#issuer) throw new Error('the discovery document names another issuer')
    const { jwks_uri: uri } = discovery
    if (typeof uri !== 'string' || !uri.startsWith('https://')) throw new Error('the discovery document has no https jwks_uri')
    const { keys } = (await this.#get(uri)) as { readonly keys?: unknown }
    if (!Array.isArray(keys)) throw new Error('the key set has no keys')
    const objects = keys.slice(0, maximumKeys).filter((key) => typeof key === 'object' && key !== null) as PublicKey[]
    return (await Promise.all(objects.map((key) => importKey(key, algorithms)))).flat()
  }

  async #get(url: string): Promise<object> {
    const response = await this.#fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeout) })
    if (response.status !== 200) throw new Error(`${url} answers ${response.status}`)
    const value: unknown = JSON.parse(await boundedText(response))
    if (typeof value !== 'object' || value === null) throw new Error(`${url} answers no object`)
    return value
  }
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, length] = ['', 0]
  for await (const chunk of response.body ?? []) {
    length += (chunk as Uint8Array).byteLength
    if (length > maximumBytes) throw new Error('the answer is too long')
    text += decoder.decode(chunk as Uint8Array, { stream: true })
  }
  return text + decoder.decode()
}
