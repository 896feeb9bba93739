/** The requests by which the contents of Durable Objects are read for a backup, and replaced by a restore. */

/** The inner paths. */
export const backupPaths = {
  /** GET: the contents as lines; 204 if nothing was ever written. */
  read: '/backup',
  /** GET: answered by BackupState. */
  state: '/backup/state',
  /** POST with lines and the `id` of the restore: they wait until the restore replaces the contents. */
  lines: '/backup/lines',
  /** Control object. POST with FinishRestore: replaces the contents of the cluster. */
  finish: '/backup/finish',
  /** POST with the `id`: answered by StagedContents. */
  staged: '/backup/staged',
  /** POST with the `id`: deletes the contents; until they are filled, the object answers nothing else. It restarts. */
  empty: '/backup/empty',
  /** POST with FillContents: takes the waiting lines as contents. It restarts. */
  fill: '/backup/fill',
  /** POST: takes the storage back to a time. Only in the default cluster, as the next ones. */
  recover: '/backup/recover',
  /** Control object. POST with the names of the other objects: refuses all other requests until it is raised. */
  hold: '/backup/hold',
  /** POST: raises the resourceVersion, and ends the history before it. */
  raise: '/backup/raise',
} as const

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
