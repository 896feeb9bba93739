/** Who makes a request. Follows user.Info of apiserver. */
export interface User {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

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
