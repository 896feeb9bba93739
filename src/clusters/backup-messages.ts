/** The requests by which the contents of Durable Objects are read for a backup, and replaced by a restore. */

/** A Durable Object of a restore. */
export interface RestoredObject {
  /** Its name; the cluster in it has no meaning. */
  readonly name: string
  /** The number of objects that it gets. */
  readonly objects: number
  /** The next resourceVersion is greater than this one. */
  readonly atLeast: number
}

/** Ends a restore: all contents of the cluster are replaced. */
export interface FinishRestore {
  readonly id: string
  /** The objects that get contents; all others are emptied. */
  readonly objects: readonly RestoredObject[]
}

/** The answer to lines. */
export interface StageAnswer {
  /** The number of objects that are left out. */
  readonly leftOut: number
}

/** The lines that wait in an object. */
export interface StagedContents {
  readonly objects: number
  readonly bytes: number
  /** Whether the signing keys of ServiceAccounts' tokens are among them. */
  readonly hasTokenKeys: boolean
}

/** Fills an emptied object. */
export interface FillContents {
  readonly id: string
  readonly atLeast: number
  /** Whether the tokens in Secrets stay valid; otherwise new ones are made. */
  readonly keepsTokens: boolean
}

/** Takes the storage back to a time. */
export interface RecoverStorage {
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Raises the resourceVersion, and ends the history before it. */
export interface RaiseVersion {
  readonly atLeast: number
}

/** The state of a Durable Object with respect to backups. */
export interface BackupState {
  readonly resourceVersion: number
  readonly objects: number
  /** The number of objects that wait for the end of a restore; absent without one. */
  readonly staged?: number
  /** Absent unless the contents of the cluster are being replaced or taken back; the names are those of the latter. */
  readonly restoring?: { readonly names: readonly string[] }
  /** The objects of a cluster; absent in the state of collections. */
  readonly names?: readonly string[]
  /** Changes when the object starts. */
  readonly incarnation: string
}
