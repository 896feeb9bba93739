/** What a collection's Durable Object does by itself about the objects that it holds. */
import type { CollectionClient } from '../clusters/collection-client.ts'
import type { ControllerName } from '../config/controllers.ts'
import type { AdvertisedAddress } from '../config/environment.ts'
import type { Registry } from '../registry/registry.ts'
import type { StoreEvent } from '../storage/store.ts'
import type { Reconciler } from './outbox.ts'

/** What controllers work with. */
export interface ControllerContext {
  /** Of the collection's object: `<cluster>/<group>/<resource>`. */
  readonly name: string
  /** Other collections. */
  readonly collections: CollectionClient
  /** The collection's own; not there yet while the object is made. */
  readonly registry: () => Registry
  /** What clients trust the server by, PEM; '' where they trust it anyway. */
  readonly rootCertificate: string
  /** At which address and port the cluster's own workloads reach the server; undefined where no address is known. */
  readonly advertised: AdvertisedAddress | undefined
  /** Which controllers run. */
  readonly enabled: ReadonlySet<ControllerName>
}

/** One controller. */
export interface Controller {
  /** What is to be done because of a change: an entry of the outbox. It runs within the commit. */
  readonly enqueue: (event: StoreEvent) => string | undefined
  /** How the entries are worked off. */
  readonly reconcilers: Readonly<Record<string, Reconciler>>
  /** Whoever writes is answered when the entries have been worked off: the server itself does it with the write. */
  readonly isPartOfWrites?: true
  /** Puts right what was changed while the object was not running, or by another release. */
  readonly start?: () => Promise<void>
}
