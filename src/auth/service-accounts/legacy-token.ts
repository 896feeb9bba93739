/** Legacy tokens: valid while their Secret holds them and the ServiceAccount exists. Follows KEP-2799. */
import { timingSafeEqual } from 'node:crypto'
import type { JsonObject } from '../../go/json-value.ts'
import { notFound } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import { textClaim } from '../jwt/claims.ts'
import { accountGroups, accountOf, accountUser } from '../service-account-names.ts'
import { TokenError } from '../token-authenticator.ts'
import type { ReadBound } from './bound-token.ts'
import { type Account, legacyClaim } from './claims.ts'

/** The label with the date of the last use. */
export const lastUsedLabel = 'kubernetes.io/legacy-token-last-used'
/** The label that invalidates a token. */
const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since'

interface Secret extends KubernetesObject {
  data?: Readonly<Record<string, string>>
}

/** The user of a legacy token, and the Secret that holds it. */
export interface LegacyHolder {
  readonly user: User
  readonly secret: KubernetesObject
}

function required(claims: JsonObject, name: string, label: string): string {
  const value = textClaim(claims, name) ?? ''
  if (value === '') throw new TokenError(`${label} claim is missing`)
  return value
}

function readClaims(claims: JsonObject): { account: Account; secretName: string } {
  const subject = required(claims, 'sub', 'sub')
  const namespace = required(claims, legacyClaim.namespace, 'namespace')
  const secretName = required(claims, legacyClaim.secret, 'secretName')
  const name = required(claims, legacyClaim.name, 'serviceAccountName')
  const uid = required(claims, legacyClaim.uid, 'serviceAccountUID')
  const named = accountOf(subject)
  if (named?.namespace !== namespace || named.name !== name) throw new TokenError('sub claim is invalid')
  return { account: { namespace, name, uid }, secretName }
}

function checkSecret(secret: Secret | undefined, token: string): Secret {
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) throw new TokenError('Token has been invalidated')
  const kept = Buffer.from(secret.data?.token ?? '', 'base64')
  const given = Buffer.from(token)
  if (kept.length !== given.length || !timingSafeEqual(kept, given)) throw new TokenError("Token does not match server's copy")
  return secret
}

function checkAccount(account: KubernetesObject | undefined, { namespace, name, uid }: Account): void {
  if (account === undefined) throw new TokenError(notFound({ group: '', resource: 'serviceaccounts' }, name).message)
  const { deletionTimestamp, uid: current = '' } = account.metadata
  if (deletionTimestamp !== undefined) throw new TokenError(`ServiceAccount ${namespace}/${name} has been deleted`)
  if (current !== uid) throw new TokenError(`ServiceAccount UID (${current}) does not match claim (${uid})`)
}

/**
 * Returns the user of a legacy token.
 * @param claims of a token whose signature has been verified
 * @throws TokenError with the text of kube-apiserver
 */
export async function holderOfLegacyToken(token: string, claims: JsonObject, read: ReadBound): Promise<LegacyHolder> {
  const { account, secretName } = readClaims(claims)
  const { namespace, name, uid } = account
  const [kept, current] = await Promise.all([
    read('secrets', namespace, secretName, ''),
    read('serviceaccounts', namespace, name, uid),
  ])
  const secret = checkSecret(kept as Secret | undefined, token)
  checkAccount(current, account)
  if ((secret.metadata.labels?.[invalidSinceLabel] ?? '') !== '') {
    const description = `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid`
    const instead = 'Use tokens from the TokenRequest API or manually created secret-based tokens'
    throw new TokenError(
      `${description}. ${instead}, or remove the '${invalidSinceLabel}' label from the secret to temporarily allow use of this token`,
    )
  }
  return { user: { name: accountUser(account), uid, groups: accountGroups(namespace), extra: {} }, secret }
}
