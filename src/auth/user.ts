/** The users and groups that the server itself knows. */
import type { User } from '../meta/user.ts'

/** Everyone who is authenticated. */
export const authenticatedGroup = 'system:authenticated'
/** Everyone who is not. */
export const unauthenticatedGroup = 'system:unauthenticated'
/** Who may do everything, whatever the rules say. */
export const mastersGroup = 'system:masters'

/** A request without credentials. */
export const anonymous: User = { name: 'system:anonymous', uid: '', groups: [unauthenticatedGroup], extra: {} }

/** The holder of the deployment's admin token. */
export const admin: User = { name: 'admin', uid: '', groups: [mastersGroup, authenticatedGroup], extra: {} }

/** The user as a member of system:authenticated, which everybody is who is somebody. */
export function asAuthenticated(user: User): User {
  const { groups } = user
  if (groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup)) return user
  return { ...user, groups: [...groups, authenticatedGroup] }
}
