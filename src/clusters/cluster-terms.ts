/** The terms of a named cluster: the part of its spec by which its Durable Objects and Workers abide. */
import type { Fork } from './fork-messages.ts'
import type { ClusterPlacement } from './placement.ts'

/** The limits of a cluster; an absent one is unlimited. */
export interface ClusterLimits {
  /** Objects of all kinds, those that the server makes included. */
  readonly objects?: number
  /** Bytes of storage, the history included. */
  readonly bytes?: number
  /** Requests of authenticated clients, for each isolate. */
  readonly requestsPerSecond?: number
  /** Watches that are open at a time, for each Durable Object of the cluster. */
  readonly watches?: number
}

/** The terms of a cluster, as its control object stores them. */
export interface ClusterTerms {
  /** The time at which the cluster is deleted, in milliseconds since the epoch; absent if it does not expire. */
  readonly expiresAt?: number
  readonly limits?: ClusterLimits
  /** The seconds of history that are kept; absent for the setting of the deployment. */
  readonly historySeconds?: number
  /** The region in which the Durable Objects of the cluster are made; absent for that of the deployment. */
  readonly location?: string
  /** The jurisdiction that the Durable Objects of the cluster do not leave; absent for that of the deployment. */
  readonly jurisdiction?: string
  /** The release whose API the cluster serves, such as `1.21`; absent for the newest one. */
  readonly emulatedRelease?: string
}

/** A cluster as it shall be. */
export interface WantedCluster {
  /** The uid of the Cluster object; '' if there must be no cluster. */
  readonly uid: string
  /** The placement of a new cluster. */
  readonly placement: ClusterPlacement
  /** The moment of another cluster with whose objects a new cluster begins. */
  readonly fork?: Fork
  /** Absent if no Cluster object stands for the cluster. */
  readonly terms?: ClusterTerms
}

/**
 * The jurisdiction to which a control object sends clients; absent for none. The jurisdiction of a cluster is a part of the address of
 * each of its Durable Objects, which nobody knows from the name of the cluster. So the control object that the name has without a
 * jurisdiction holds this fact, and nothing else of the cluster.
 */
export interface JurisdictionRedirect {
  readonly jurisdiction?: string
  /** The one that it has named until now, whose cluster has been deleted. */
  readonly former?: string
}

/** The place of a cluster's objects. */
export interface ClusterPlace {
  readonly location?: string | undefined
  readonly jurisdiction?: string | undefined
}

/** The usage of a cluster, or of one of its Durable Objects. */
export interface ClusterUse {
  readonly objects: number
  readonly bytes: number
}

/** The usage of one Durable Object, as it reports it. */
export interface UseReport extends ClusterUse {
  /** The name of the Durable Object. */
  readonly name: string
}

/** The answer to a report: the limits, and the usage of all other Durable Objects of the cluster. */
export interface UseAnswer {
  readonly limits: ClusterLimits
  readonly others: ClusterUse
}

/** The report of a control object about its cluster. */
export interface ClusterReport {
  readonly name: string
  /** The uid of the Cluster object. A report about another one is ignored. */
  readonly uid: string
  readonly use: ClusterUse
  /** `expired`: the time of the cluster is over, and the Cluster object is to be deleted. */
  readonly state: 'in use' | 'expired'
}
