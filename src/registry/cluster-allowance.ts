/** The limits of the cluster to which a Durable Object belongs, as the verbs see them. */
import type { GroupResource } from '../meta/errors.ts'

/** A write, as the limits see it. */
export interface AllowedWrite {
  /** Whether the write creates an object. */
  readonly isNew: boolean
  /** Computes by how many bytes the object grows. */
  readonly growth: () => number
}

/** Decides about writes and watches of clients. Absent in the default cluster, which has no limits. */
export interface ClusterAllowance {
  /**
   * Admits a write within its commit.
   * @throws ApiError 403 if the cluster would exceed a limit
   */
  admitWrite(resource: GroupResource, name: string, write: AllowedWrite): void
  /**
   * Admits a watch before it is opened.
   * @throws ApiError 429 if the cluster has as many open watches as it may have
   */
  admitWatch(): void
}
