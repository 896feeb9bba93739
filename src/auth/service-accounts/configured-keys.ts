/**
 * The operator's own keys of ServiceAccount tokens, in place of the generated ones: kube-apiserver's
 * --service-account-signing-key-file and --service-account-key-file.
 */
import type { JWK } from 'jose'

/** The setting SERVICE_ACCOUNT_KEYS after parsing. Each key has `kid` and `alg`. */
export interface ConfiguredKeys {
  /** The private key that signs. */
  readonly signing: JWK & { readonly kid: string; readonly alg: string }
  /** The public keys that verify, which are published. */
  readonly keys: readonly JWK[]
}

/** The algorithms of such keys, as kube-apiserver chooses them by the type of the key. */
export const configuredAlgorithms = ['RS256', 'ES256', 'ES384', 'ES512'] as const

/**
 * Reads the setting; undefined for ''.
 * @throws Error if a field is missing: the server would sign with keys that nobody expects
 */
export function readConfiguredKeys(json: string): ConfiguredKeys | undefined {
  if (json === '') return undefined
  const { signing, keys } = JSON.parse(json) as Partial<ConfiguredKeys>
  if (!isNamed(signing) || !Array.isArray(keys) || !keys.every(isNamed))
    throw new Error('SERVICE_ACCOUNT_KEYS must be {"signing": JWK, "keys": [JWK]}, each with kid and alg')
  return { signing, keys }
}

const isNamed = (key: JWK | undefined): key is ConfiguredKeys['signing'] =>
  key?.kid !== undefined && configuredAlgorithms.some((algorithm) => algorithm === key.alg)
