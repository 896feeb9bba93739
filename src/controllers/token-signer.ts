/** Signs the tokens of ServiceAccounts, with keys that never leave the control object: only their public halves do. */
import { timeClaim } from '../auth/jwt/compact.ts'
import type { PublicKey } from '../auth/jwt/verification.ts'
import { rotation, type TokenKey, withTokenUntil } from '../auth/service-accounts/key-rotation.ts'
import { type KeySet, tokenAlgorithm } from '../auth/service-accounts/token-keys.ts'
import type { JsonObject } from '../meta/json-value.ts'

const storageKey = 'token-keys'
const ecdsa = { name: 'ECDSA', namedCurve: 'P-256' } as const

const base64url = (bytes: ArrayBuffer | Uint8Array): string => Buffer.from(bytes as Uint8Array).toString('base64url')
const encoded = (value: object): string => base64url(Buffer.from(JSON.stringify(value)))

/** A new key pair. Its id is the hash of the public key, as kube-apiserver's are. */
async function makeKey(now: number): Promise<TokenKey> {
  const pair = (await crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])) as CryptoKeyPair
  const spki = (await crypto.subtle.exportKey('spki', pair.publicKey)) as ArrayBuffer
  const keyId = base64url(await crypto.subtle.digest('SHA-256', spki))
  const { crv = '', x = '', y = '' } = (await crypto.subtle.exportKey('jwk', pair.publicKey)) as JsonWebKey
  const publicKey: PublicKey = { use: 'sig', kty: 'EC', kid: keyId, crv, alg: tokenAlgorithm, x, y }
  const privateKey = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as JsonWebKey
  return { keyId, privateKey, publicKey, madeAt: now, validUntil: 0 }
}

/** One cluster's keys, in its control object's storage. */
export class TokenSigner {
  readonly #storage: DurableObjectStorage
  readonly #imported = new Map<string, CryptoKey>()
  #rotating: Promise<readonly TokenKey[]> | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** The public keys, durable before they are told. */
  async published(): Promise<KeySet> {
    const keys = await this.#current()
    return { keys: keys.map(({ publicKey }) => publicKey) }
  }

  /** The token that says these claims. It is not answered before the key is sure to be kept for as long as the token is valid. */
  async sign(claims: JsonObject): Promise<string> {
    const keys = await this.#current()
    const { signing } = rotation(keys, Date.now())
    if (signing === undefined) throw new Error('there is no key to sign with')
    const expires = timeClaim(claims, 'exp')
    await this.#keep(signing.keyId, expires === undefined ? 'never' : expires * 1000)
    const signed = `${encoded({ alg: tokenAlgorithm, kid: signing.keyId })}.${encoded(claims)}`
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
    const signature = await crypto.subtle.sign(algorithm, await this.#privateKey(signing), Buffer.from(signed))
    return `${signed}.${base64url(signature)}`
  }

  #stored(): readonly TokenKey[] {
    return this.#storage.kv.get<readonly TokenKey[]>(storageKey) ?? []
  }

  async #store(keys: readonly TokenKey[]): Promise<void> {
    this.#storage.kv.put(storageKey, keys)
    await this.#storage.sync()
  }

  /** The keys after what is due has been done: one at a time, or two would be made. */
  #current(): Promise<readonly TokenKey[]> {
    this.#rotating ??= this.#rotate().finally(() => {
      this.#rotating = undefined
    })
    return this.#rotating
  }

  async #rotate(): Promise<readonly TokenKey[]> {
    const now = Date.now()
    const made = rotation(this.#stored(), now).isDue ? [await makeKey(now)] : []
    // A token may have been noted meanwhile.
    const stored = this.#stored()
    const { kept } = rotation([...stored, ...made], now)
    if (made.length > 0 || kept.length < stored.length) await this.#store(kept)
    return kept
  }

  async #keep(keyId: string, until: number | 'never'): Promise<void> {
    const stored = this.#stored()
    const keys = stored.map((key) => (key.keyId === keyId ? withTokenUntil(key, until) : key))
    if (keys.some((key, i) => key !== stored[i])) await this.#store(keys)
  }

  async #privateKey({ keyId, privateKey }: TokenKey): Promise<CryptoKey> {
    const known = this.#imported.get(keyId)
    if (known !== undefined) return known
    const key = await crypto.subtle.importKey('jwk', privateKey, ecdsa, false, ['sign'])
    this.#imported.set(keyId, key)
    return key
  }
}
