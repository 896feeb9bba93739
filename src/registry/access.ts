/** Permissions that a write needs beside the one for its request. The Worker looks them up, which knows all authorizers. */
import { mastersGroup } from '../auth/user.ts'
import { type AccessAttributes, type AccessDecision, workerLookup } from '../clusters/lookups.ts'
import type { LookupResults, WorkerLookup } from '../meta/lookups.ts'
import type { User } from '../meta/user.ts'

/** The attributes of an access review; those left out are ''. */
export type PartialAccess = Pick<AccessAttributes, 'verb' | 'group' | 'version' | 'resource'> & Partial<AccessAttributes>

/** The client of a write, and its lookups. */
interface AccessContext {
  /** Absent if the server itself writes. */
  readonly user?: User
  readonly lookups: LookupResults
}

const allowed: AccessDecision = { allowed: true }

/** Whether the client may do everything, as the server itself and administrators may. */
export const mayAll = ({ user }: Pick<AccessContext, 'user'>): boolean => user === undefined || user.groups.includes(mastersGroup)

const accessLookup = (attributes: PartialAccess): WorkerLookup<AccessDecision> =>
  workerLookup('access', { subresource: '', namespace: '', name: '', ...attributes })

/**
 * Decides whether the client may do this.
 * @throws MissingLookups
 */
export function access(context: AccessContext, attributes: PartialAccess): AccessDecision {
  return mayAll(context) ? allowed : context.lookups.get(accessLookup(attributes))
}

/**
 * Makes sure that the decisions about all of these are there: the missing ones are looked up together.
 * @throws MissingLookups
 */
export function requireAccess(context: AccessContext, all: readonly PartialAccess[]): void {
  if (!mayAll(context)) context.lookups.require(all.map(accessLookup))
}
