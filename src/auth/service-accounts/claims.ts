/** The claims of ServiceAccount tokens. Follows KEP-1205 (bound tokens), KEP-4193 (identifiers and nodes) and legacy tokens. */
import type { JsonObject } from '../../go/json-value.ts'
import { accountUser } from '../service-account-names.ts'

/** The issuer of tokens in Secrets, independent of the deployment's issuer. */
export const legacyIssuer = 'kubernetes/serviceaccount'

/** A reference to an object by name, and by uid if it is known. */
export interface Reference {
  readonly name: string
  readonly uid?: string
}

/** The ServiceAccount in a token's claims. */
export interface Account {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** The object that a token is bound to. A Pod's node is recorded in the token but does not end it. */
export type Binding =
  | { readonly to: 'nothing' }
  | { readonly to: 'pod'; readonly pod: Reference; readonly node?: Reference }
  | { readonly to: 'secret'; readonly secret: Reference }
  | { readonly to: 'node'; readonly node: Reference }

/** The input of a new bound token. Times are seconds. */
export interface BoundToken {
  readonly issuer: string
  readonly account: Account
  readonly binding: Binding
  readonly audiences: readonly string[]
  readonly now: number
  readonly lifetime: number
  /** The lifetime in seconds after which the use of the token is logged as stale (claim `warnafter`). */
  readonly warnAfter?: number
  readonly id: string
}

const referenceClaim = ({ name, uid }: Reference): JsonObject => ({ name, ...(uid !== undefined && { uid }) })

function bindingClaims(binding: Binding): JsonObject {
  switch (binding.to) {
    case 'nothing':
      return {}
    case 'pod':
      return { ...(binding.node !== undefined && { node: referenceClaim(binding.node) }), pod: referenceClaim(binding.pod) }
    case 'secret':
      return { secret: referenceClaim(binding.secret) }
    case 'node':
      return { node: referenceClaim(binding.node) }
  }
}

/** Returns the claims of a bound token, in the order in which Go writes them. */
export function boundClaims({ issuer, account, binding, audiences, now, lifetime, warnAfter, id }: BoundToken): JsonObject {
  const { namespace, name, uid } = account
  const { secret, ...before } = bindingClaims(binding)
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
/** The claim names of a legacy token. */
export const legacyClaim = {
  namespace: `${legacy}namespace`,
  secret: `${legacy}secret.name`,
  name: `${legacy}service-account.name`,
  uid: `${legacy}service-account.uid`,
} as const

/** Returns the claims of a legacy token. It has no expiry: it is valid while its Secret exists. */
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
