/** Signs ServiceAccount tokens. Private keys never leave the control object; only public keys do. */

import type { JWK } from 'jose'
import { timeClaim } from '../auth/jwt/claims.ts'
import { importKey, makeKey, type SigningKey, signedToken } from '../auth/jwt/keys.ts'
import type { KeySet } from '../auth/jwt/signature.ts'
import type { ConfiguredKeys } from '../auth/service-accounts/configured-keys.ts'
import { rotation, type TokenKey, withTokenUntil } from '../auth/service-accounts/key-rotation.ts'
import { tokenAlgorithm } from '../auth/service-accounts/token-keys.ts'
import type { JsonObject } from '../go/json-value.ts'

/** The storage key of the signing keys. */
export const tokenKeysKey = 'token-keys'

/** The signing keys of one cluster, in its control object's storage. */
export class TokenSigner {
  readonly #storage: DurableObjectStorage
  readonly #imported = new Map<string, SigningKey>()
  readonly #configured: ConfiguredKeys | undefined
  #rotating: Promise<readonly TokenKey[]> | undefined

  /** @param configured the operator's own keys, in place of generated ones */
  constructor(storage: DurableObjectStorage, configured: ConfiguredKeys | undefined) {
    this.#storage = storage
    this.#configured = configured
  }

  /** Returns the public keys, after they are durable. */
  async published(): Promise<KeySet> {
    if (this.#configured !== undefined) return { keys: [...this.#configured.keys] }
    const keys = await this.#current()
    return { keys: keys.map(({ publicKey }) => publicKey) }
  }

  /** Signs a token with these claims, after it is durable that the key is kept for the token's lifetime. */
  async sign(claims: JsonObject): Promise<string> {
    if (this.#configured !== undefined) return await this.#signWith(this.#configured, claims)
    const keys = await this.#current()
    const { signing } = rotation(keys, Date.now())
    if (signing === undefined) throw new Error('there is no key to sign with')
    const expires = timeClaim(claims, 'exp')
    await this.#keep(signing.keyId, expires === undefined ? 'never' : expires * 1000)
    const key = await this.#importedKey(signing.keyId, signing.privateKey, tokenAlgorithm)
    return signedToken(claims, { alg: tokenAlgorithm, kid: signing.keyId }, key)
  }

  async #signWith({ signing }: ConfiguredKeys, claims: JsonObject): Promise<string> {
    const { kid, alg } = signing
    return signedToken(claims, { alg, kid }, await this.#importedKey(kid, signing, alg))
  }

  #stored(): readonly TokenKey[] {
    return this.#storage.kv.get<readonly TokenKey[]>(tokenKeysKey) ?? []
  }

  async #store(keys: readonly TokenKey[]): Promise<void> {
    this.#storage.kv.put(tokenKeysKey, keys)
    await this.#storage.sync()
  }

  /** Returns the keys after a due rotation. Concurrent callers share it, otherwise two keys would be made. */
  #current(): Promise<readonly TokenKey[]> {
    this.#rotating ??= this.#rotate().finally(() => {
      this.#rotating = undefined
    })
    return this.#rotating
  }

  async #rotate(): Promise<readonly TokenKey[]> {
    const now = Date.now()
    const made = rotation(this.#stored(), now).isDue ? [await makeKey(tokenAlgorithm, now)] : []
    // The stored keys are read again: a token's expiry may have been recorded in the meantime.
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

  async #importedKey(keyId: string, privateKey: JWK, algorithm: string): Promise<SigningKey> {
    const known = this.#imported.get(keyId)
    if (known !== undefined) return known
    const key = await importKey(privateKey, algorithm)
    this.#imported.set(keyId, key)
    return key
  }
}
