/** Additional permissions that a write needs. They are looked up in the Worker, which has all authorizers. */
import { mastersGroup } from '../auth/user.ts'
import { type AccessAttributes, type AccessDecision, workerLookup } from '../clusters/lookups.ts'
import type { LookupResults, WorkerLookup } from '../meta/lookups.ts'
import type { User } from '../meta/user.ts'

/** The attributes of an access review. Absent ones are ''. */
export type PartialAccess = Pick<AccessAttributes, 'verb' | 'group' | 'version' | 'resource'> & Partial<AccessAttributes>

/** The client of a write, and its lookups. */
interface AccessContext {
  /** Absent if the server itself writes. */
  readonly user?: User
  readonly lookups: LookupResults
}

const allowed: AccessDecision = { allowed: true }

/** Whether the client has all permissions: the server itself, or a member of system:masters. */
export const mayAll = ({ user }: Pick<AccessContext, 'user'>): boolean => user === undefined || user.groups.includes(mastersGroup)

const accessLookup = (attributes: PartialAccess): WorkerLookup<AccessDecision> =>
  workerLookup('access', { subresource: '', namespace: '', name: '', ...attributes })

/**
 * Returns the decision of the authorizers.
 * @throws MissingLookups if the decision is not looked up yet
 */
export function access(context: AccessContext, attributes: PartialAccess): AccessDecision {
  return mayAll(context) ? allowed : context.lookups.get(accessLookup(attributes))
}

/**
 * Requires the decisions about all these attributes, so that missing ones are looked up in one round trip.
 * @throws MissingLookups if a decision is not looked up yet
 */
export function requireAccess(context: AccessContext, all: readonly PartialAccess[]): void {
  if (!mayAll(context)) context.lookups.require(all.map(accessLookup))
}
