/** The interface of resolvers: they find the facts that commits leave to the Worker. */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { WorkerLookups } from '../../clusters/lookups.ts'
import type { Asker } from '../../clusters/policy.ts'
import type { User } from '../../meta/user.ts'
import type { ResourceServices } from '../context.ts'

/** The request whose commit needs a lookup. */
export interface LookupContext {
  readonly services: ResourceServices
  readonly user: User
  /** The request as the policy cache sees it. */
  readonly asker: Asker
  /** A client for the services, not for this request. */
  readonly client: CollectionClient
  /** The client of this request, with its deadline and audit record. */
  readonly ofRequest: CollectionClient
  /** The deadline of the request in milliseconds since the epoch; undefined if it has none. */
  readonly deadline: number | undefined
  /** Its signal is aborted when the client is gone. */
  readonly request: Request
}

/** Resolves one kind of lookup. Rejects with the error with which the request fails. */
export type Resolver<Name extends keyof WorkerLookups> = (
  context: LookupContext,
  parameters: WorkerLookups[Name]['parameters'],
) => Promise<WorkerLookups[Name]['result']>
