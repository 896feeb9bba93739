/** The credentials in Secrets that a fork must not get: a token of one cluster is of no use in another. */
import type { Stored } from '../../storage/store.ts'
import { tokenSecretType } from '../token-secrets/reconcile.ts'

const prefix = 'secrets/'

const bootstrapTokenType = 'bootstrap.kubernetes.io/token'

interface Secret {
  readonly type?: string
  data?: Record<string, string>
}

/** Returns the keys of a Secret's data that are credentials of its cluster. */
function credentialsIn({ type }: Secret): readonly string[] {
  if (type === tokenSecretType) return ['token']
  return type === bootstrapTokenType ? ['token-secret'] : []
}

/**
 * Returns an object as a fork gets it: a Secret loses the tokens of its cluster. The controller of token Secrets makes new ones in
 * the fork.
 */
export const forked = (stored: Stored): Stored => without(stored, credentialsIn)

/** Returns an object whose ServiceAccount token is not valid any more: the controller of token Secrets makes a new one. */
export const withoutTokens = (stored: Stored): Stored =>
  without(stored, ({ type }) => (type === tokenSecretType ? ['token'] : []))

function without(stored: Stored, credentialsOf: (secret: Secret) => readonly string[]): Stored {
  if (!stored.key.startsWith(prefix)) return stored
  const secret = JSON.parse(stored.value) as Secret
  const credentials = credentialsOf(secret)
  const { data } = secret
  if (data === undefined || credentials.length === 0) return stored
  secret.data = Object.fromEntries(Object.entries(data).filter(([key]) => !credentials.includes(key)))
  return { ...stored, value: JSON.stringify(secret) }
}

/** Whether a copied object is a Secret that has lost the token of a ServiceAccount. */
export const isForkedToken = ({ key, value }: Pick<Stored, 'key' | 'value'>): boolean =>
  key.startsWith(prefix) && value.includes(tokenSecretType)
