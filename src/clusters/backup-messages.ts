/** The requests by which the Worker reads the contents of Durable Objects for a backup, and replaces them. */

/** The inner paths, in the order in which a restore uses them. */
export const backupPaths = {
  read: '/backup',
  state: '/backup/state',
  begin: '/backup/begin',
  lines: '/backup/lines',
  finish: '/backup/finish',
  recover: '/backup/recover',
  raise: '/backup/raise',
} as const

/** Begins a restore: from now on the object answers nothing else. */
export interface BeginRestore {
  /** The restore. Contents that another one has written are deleted. */
  readonly id: string
  /** The names of all objects that are restored, which the control object remembers until its own restore is finished. */
  readonly names: readonly string[]
  /** `delete` begins with empty contents; `hold` keeps them, and only refuses requests. */
  readonly contents: 'delete' | 'hold'
}

/** Ends a restore. */
export interface FinishRestore {
  readonly id: string
  /** The number of objects that were written; the restore fails with another one. */
  readonly objects: number
  /** The next resourceVersion is greater than this one. */
  readonly atLeast: number
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
  /** Absent unless the object is being restored. */
  readonly restoring?: { readonly id: string; readonly names: readonly string[] }
  /** The objects of a cluster; absent in the state of collections. */
  readonly names?: readonly string[]
  /** Changes when the object starts. */
  readonly incarnation: string
}
