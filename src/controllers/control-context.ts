/** The dependencies of the controllers of a cluster as a whole, which run in its control object. */
import type { ApiServiceAvailability } from './api-service-availability/availability.ts'
import type { Definitions } from './crd/definitions.ts'
import type { Kernel } from './kernel.ts'
import type { HeldCollections } from './namespace/collections.ts'

/** The control object of a cluster, as its controllers see it. */
export interface ControlContext {
  readonly kernel: Kernel
  readonly definitions: Definitions
  readonly apiServices: ApiServiceAvailability
  readonly collections: {
    /** The collections that hold objects. */
    readonly held: HeldCollections
    /** Whether the control object holds a collection `<resource>[.<group>]`. */
    isOwn(collection: string): boolean
  }
  readonly fork: {
    /** The prefixes of the collections that are still to be copied from another cluster. */
    readonly remaining: readonly string[]
    /** Tells the parent which history the fork still needs. */
    report(): Promise<void>
  }
}
