/** What the tokens of ServiceAccounts say. Follows KEP-1205 (bound tokens), KEP-4193 (identifiers and nodes) and legacy tokens. */
import type { JsonObject } from '../../go/json-value.ts'
import { accountUser } from '../service-account-names.ts'

/** The issuer of the tokens that are kept in Secrets, whatever the deployment calls itself. */
export const legacyIssuer = 'kubernetes/serviceaccount'

/** An object by its name, and by its uid where that is known. */
export interface Reference {
  readonly name: string
  readonly uid?: string
}

/** A ServiceAccount as its tokens name it. */
export interface Account {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** With what a token ends. A Pod's node is told and does not end it. */
export type Binding =
  | { readonly to: 'nothing' }
  | { readonly to: 'pod'; readonly pod: Reference; readonly node?: Reference }
  | { readonly to: 'secret'; readonly secret: Reference }
  | { readonly to: 'node'; readonly node: Reference }

/** A token that is to be made. Times are seconds. */
export interface BoundToken {
  readonly issuer: string
  readonly account: Account
  readonly binding: Binding
  readonly audiences: readonly string[]
  readonly now: number
  readonly lifetime: number
  /** After so long its use is remarked. */
  readonly warnAfter?: number
  readonly id: string
}

const shown = ({ name, uid }: Reference): JsonObject => ({ name, ...(uid !== undefined && { uid }) })

function shownBinding(binding: Binding): JsonObject {
  switch (binding.to) {
    case 'nothing':
      return {}
    case 'pod':
      return { ...(binding.node !== undefined && { node: shown(binding.node) }), pod: shown(binding.pod) }
    case 'secret':
      return { secret: shown(binding.secret) }
    case 'node':
      return { node: shown(binding.node) }
  }
}

/** The claims of a bound token, in the order in which Go writes them. */
export function boundClaims({ issuer, account, binding, audiences, now, lifetime, warnAfter, id }: BoundToken): JsonObject {
  const { namespace, name, uid } = account
  const { secret, ...before } = shownBinding(binding)
  return {
    aud: [...audiences],
    exp: now + lifetime,
    iat: now,
    iss: issuer,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...before,
      ...(secret !== undefined && { secret }),
      serviceaccount: { name, uid },
      ...(warnAfter !== undefined && { warnafter: now + warnAfter }),
    },
    nbf: now,
    sub: accountUser(account),
  }
}

const legacy = 'kubernetes.io/serviceaccount/'
/** The names of a legacy token's claims. */
export const legacyClaim = {
  namespace: `${legacy}namespace`,
  secret: `${legacy}secret.name`,
  name: `${legacy}service-account.name`,
  uid: `${legacy}service-account.uid`,
} as const

/** The claims of a token that is kept in a Secret. It does not expire: it ends with the Secret. */
export function legacyClaims(account: Account, secret: string): JsonObject {
  return {
    iss: legacyIssuer,
    [legacyClaim.namespace]: account.namespace,
    [legacyClaim.secret]: secret,
    [legacyClaim.name]: account.name,
    [legacyClaim.uid]: account.uid,
    sub: accountUser(account),
  }
}
