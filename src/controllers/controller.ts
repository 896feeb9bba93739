/** The interface of controllers that run in a collection's Durable Object. */
import type { ClusterAddresses } from '../clusters/cluster-path.ts'
import type { ClusterPlace } from '../clusters/cluster-terms.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import type { ControllerName } from '../config/controllers.ts'
import type { AdvertisedAddress } from '../config/settings/readers.ts'
import type { Registry } from '../registry/registry.ts'
import type { StoreEvent } from '../storage/store.ts'
import type { WritesOf } from './admitted-writes.ts'
import type { Reconciler } from './outbox.ts'

/** The dependencies of controllers. */
export interface ControllerContext {
  /** The name of the cluster. */
  readonly cluster: string
  /** The collection of the controller. */
  readonly collection: { readonly group: string; readonly resource: string }
  /** Access to other collections. */
  readonly collections: CollectionClient
  /** Makes the writes of a controller that policies and webhooks see. */
  readonly writesOf: WritesOf
  /** The registry of the collection's object; not available while the object is constructed. */
  readonly registry: () => Registry
  /** The CA certificate of the server, PEM; '' if a public CA has issued the server's certificate. */
  readonly rootCertificate: string
  /** The data of the ConfigMap that tells other API servers whom to trust. */
  readonly authentication: Readonly<Record<string, string>>
  /** The address and port at which the cluster's own workloads reach the server; undefined if no address is known. */
  readonly advertised: AdvertisedAddress | undefined
  /** `host:port` at which clients reach the server; '' if it is unknown. */
  readonly serverAddress: string
  /** Writes the addresses of named clusters. */
  readonly addresses: ClusterAddresses
  /** The setting ADMIN_TOKEN; '' if the deployment has none. */
  readonly adminToken: string
  /** The seconds for which finalizers keep the object of a cluster whose time is over. */
  readonly clusterFinalizerSeconds: number
  /**
   * Returns a client of another cluster's collections.
   * @param location in which objects are made that do not exist; absent for that of the deployment
   */
  readonly clusterClient: (cluster: string, place?: ClusterPlace) => CollectionClient
  /** The enabled controllers. */
  readonly enabled: ReadonlySet<ControllerName>
}

/**
 * A controller of one collection: changes become outbox entries in the same commit, and reconcilers work them off later.
 *
 * @example
 * ```ts
 * const logDeleted: Controller = {
 *   enqueue: ({ type, object }) => (type === 'DELETED' ? `deleted/${object.key}` : undefined),
 *   reconcilers: {
 *     deleted: async (key) => {
 *       console.log(`${key} was deleted`)
 *       return true
 *     },
 *   },
 * }
 * ```
 */
export interface Controller {
  /** Returns the outbox entries (`<kind>/<rest>`) for a change of the collection, or undefined. It runs within the commit. */
  readonly enqueue: (event: StoreEvent) => string | readonly string[] | undefined
  /** The reconcilers of the entries, by the entries' kind. */
  readonly reconcilers: Readonly<Record<string, Reconciler>>
  /**
   * Set if a write is answered only after its entries have been worked off, because the server itself does this work as part of
   * the write.
   */
  readonly isPartOfWrites?: true
  /** Reconciles changes that were made while the object was not running, or by another release. */
  readonly start?: () => Promise<void>
}
