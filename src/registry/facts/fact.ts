/** Facts about other collections that decide about a write. The Worker finds them out, or the object that holds all collections. */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { WorkerLookups } from '../../clusters/lookups.ts'

/** Reads a fact; null if its object does not exist. */
export type ReadFact<Name extends keyof WorkerLookups> = (
  collections: CollectionClient,
  parameters: WorkerLookups[Name]['parameters'],
) => Promise<WorkerLookups[Name]['result'] | null>
