/** Tokens made by a TokenRequest: valid while the ServiceAccount and the bound object exist. Follows KEP-1205. */

import { isObject } from '../../go/json-object.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { parseTime } from '../../go/time.ts'
import { notFound } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import { textClaim, timeClaim } from '../jwt/claims.ts'
import { accountGroups, accountUser } from '../service-account-names.ts'
import { TokenError } from '../token-authenticator.ts'
import type { Account, Reference } from './claims.ts'

/** The tolerated clock difference, and how long after its deletionTimestamp an object still counts as existing; in seconds. */
const leeway = 60

/**
 * Reads the current object; undefined if it does not exist.
 * @param uid that the object should have
 */
export type ReadBound = (
  resource: 'nodes' | 'pods' | 'secrets' | 'serviceaccounts',
  namespace: string,
  name: string,
  uid: string,
) => Promise<KubernetesObject | undefined>

/** The content of the claim `kubernetes.io`. */
interface Bound {
  readonly account: Account
  readonly pod?: Reference
  readonly secret?: Reference
  readonly node?: Reference
}

function referenceOf(claim: JsonObject, name: string): Reference | undefined {
  const value = claim[name]
  if (!isObject(value)) return undefined
  const uid = textClaim(value, 'uid')
  return { name: textClaim(value, 'name') ?? '', ...(uid !== undefined && { uid }) }
}

function boundOf(claims: JsonObject): Bound {
  const claim = claims['kubernetes.io']
  if (!isObject(claim)) throw new TokenError('service account token claims could not be validated')
  const account = referenceOf(claim, 'serviceaccount')
  const pod = referenceOf(claim, 'pod')
  const secret = referenceOf(claim, 'secret')
  const node = referenceOf(claim, 'node')
  return {
    account: { namespace: textClaim(claim, 'namespace') ?? '', name: account?.name ?? '', uid: account?.uid ?? '' },
    ...(pod !== undefined && { pod }),
    ...(secret !== undefined && { secret }),
    ...(node !== undefined && { node }),
  }
}

function checkTimes(claims: JsonObject, now: number): void {
  const [expires, begins, issued] = ['exp', 'nbf', 'iat'].map((name) => timeClaim(claims, name))
  if (expires === undefined || now - leeway > expires) throw new TokenError('service account token has expired')
  if (begins !== undefined && now + leeway < begins) throw new TokenError('service account token is not valid yet')
  if (issued !== undefined && now + leeway < issued) throw new TokenError('service account token is issued in the future')
}

/** Whether a deletion began longer ago than the leeway. */
export function isGone({ metadata }: KubernetesObject, now: number): boolean {
  const { deletionTimestamp } = metadata
  return deletionTimestamp !== undefined && parseTime(deletionTimestamp).seconds < now - leeway
}

async function checkAccount({ namespace, name, uid }: Account, read: ReadBound, now: number): Promise<void> {
  const account = await read('serviceaccounts', namespace, name, uid)
  if (account === undefined) throw new TokenError(notFound({ group: '', resource: 'serviceaccounts' }, name).message)
  const { uid: current = '' } = account.metadata
  if (current !== uid) throw new TokenError(`service account UID (${current}) does not match claim (${uid})`)
  if (isGone(account, now)) throw new TokenError(`service account ${namespace}/${name} has been deleted`)
}

/** The resources of the objects that a token may be bound to. */
const boundResources = { secret: 'secrets', pod: 'pods', node: 'nodes' } as const
type BoundKind = keyof typeof boundResources

async function checkBound(
  kind: BoundKind,
  { name, uid = '' }: Reference,
  namespace: string,
  read: ReadBound,
  now: number,
): Promise<void> {
  const resource = boundResources[kind]
  const object = await read(resource, resource === 'nodes' ? '' : namespace, name, uid)
  if (object === undefined) throw new TokenError('service account token has been invalidated')
  const { uid: current = '' } = object.metadata
  if (current !== uid) throw new TokenError(`${kind} UID (${current}) does not match service account ${kind} ref claim (${uid})`)
  if (isGone(object, now)) throw new TokenError('service account token has been invalidated')
}

/** Returns the bound object whose deletion ends the token, if there is one. */
function endsWith({ pod, secret, node }: Bound): [BoundKind, Reference][] {
  const ends: [BoundKind, Reference][] = []
  if (secret !== undefined) ends.push(['secret', secret])
  if (pod !== undefined) ends.push(['pod', pod])
  else if (node !== undefined) ends.push(['node', node])
  return ends
}

const key = (name: string): string => `authentication.kubernetes.io/${name}`

function extraOf({ pod, node }: Bound, id: string): User['extra'] {
  const entries: [string, string | undefined][] = [
    ['credential-id', id === '' ? undefined : `JTI=${id}`],
    ['node-name', node?.name],
    ['node-uid', node?.uid],
    ['pod-name', pod?.name],
    ['pod-uid', pod?.uid],
  ]
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[key(name), [value]]])))
}

/**
 * Returns the user of a bound token.
 * @param claims of a token whose signature has been verified
 * @param now seconds since the epoch
 * @throws TokenError with the text of kube-apiserver
 */
export async function holderOfBoundToken(claims: JsonObject, read: ReadBound, now: number): Promise<User> {
  checkTimes(claims, now)
  const bound = boundOf(claims)
  const { account } = bound
  // All objects are read in parallel; an error of the account takes precedence.
  const answers = await Promise.allSettled([
    checkAccount(account, read, now),
    ...endsWith(bound).map(([kind, reference]) => checkBound(kind, reference, account.namespace, read, now)),
  ])
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
  return {
    name: accountUser(account),
    uid: account.uid,
    groups: accountGroups(account.namespace),
    extra: extraOf(bound, textClaim(claims, 'jti') ?? ''),
  }
}
