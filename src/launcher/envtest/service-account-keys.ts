/** Reads the key files of ServiceAccount tokens, for the setting SERVICE_ACCOUNT_KEYS. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { LauncherError, reasonOf } from '../launcher-error.ts'

const block = /-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g
const curves: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }

/**
 * Gives the setting as JSON.
 * @param signing the file of the private key
 * @param files those of the keys that verify: public keys, certificates or private keys
 * @throws LauncherError in the words of kube-apiserver
 */
export function serviceAccountKeys(signing: string, files: readonly string[]): string {
  const [key] = readKeys(signing, 'failed to parse service-account-issuer-key-file', (pem) => createPrivateKey(pem))
  if (key === undefined) throw new LauncherError('failed to parse service-account-issuer-key-file: no private key')
  const verifying = files.flatMap((file) =>
    readKeys(file, 'failed to parse service-account-key-file', (pem) => createPublicKey(pem)),
  )
  return JSON.stringify({ signing: jwkOf(key), keys: verifying.map(jwkOf) })
}

function readKeys(file: string, failure: string, read: (pem: string) => KeyObject): KeyObject[] {
  try {
    const blocks = readFileSync(file, 'utf8').match(block) ?? []
    const keys = blocks.filter((pem) => !pem.includes('EC PARAMETERS')).map(read)
    if (keys.length > 0) return keys
  } catch (error) {
    throw new LauncherError(`${failure}: open ${file}: ${reasonOf(error)}`)
  }
  throw new LauncherError(`${failure}: data does not contain any valid RSA or ECDSA public keys`)
}

/** The key's ID is the hash of the public key, as in kube-apiserver. */
function jwkOf(key: KeyObject): object {
  const spki = (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' })
  const kid = createHash('sha256').update(spki).digest('base64url')
  const alg = key.asymmetricKeyType === 'rsa' ? 'RS256' : curves[key.asymmetricKeyDetails?.namedCurve ?? '']
  if (alg === undefined) throw new LauncherError(`a key of the type ${key.asymmetricKeyType} cannot sign ServiceAccount tokens`)
  return { ...key.export({ format: 'jwk' }), use: 'sig', kid, alg }
}
