/** The built-in users and groups. */
import type { User } from '../meta/user.ts'

export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'
/** Its members may do everything regardless of the rules. */
export const mastersGroup = 'system:masters'

/** The user of a request without credentials. */
export const anonymous: User = { name: 'system:anonymous', uid: '', groups: [unauthenticatedGroup], extra: {} }

/** The user of the deployment's admin token. */
export const admin: User = { name: 'admin', uid: 'admin', groups: [mastersGroup, authenticatedGroup], extra: {} }

/** Adds system:authenticated to the user's groups, unless the user is in system:unauthenticated. */
export function asAuthenticated(user: User): User {
  const { groups } = user
  if (groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup)) return user
  return { ...user, groups: [...groups, authenticatedGroup] }
}
