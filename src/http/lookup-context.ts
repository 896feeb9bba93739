/** The context in which lookups of a commit are resolved. */
import type { CollectionClient } from '../clusters/collection-client.ts'
import type { User } from '../meta/user.ts'
import type { ResourceServices } from './context.ts'

/** The request whose commit needs a lookup. */
export interface LookupContext {
  readonly services: ResourceServices
  readonly user: User
  /** A client for the services, not for this request. */
  readonly client: CollectionClient
  /** The client of this request, with its deadline and audit record. */
  readonly ofRequest: CollectionClient
}
