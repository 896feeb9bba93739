/** The file system in memory for data that is thrown away: SQLite in workerd syncs every commit, which costs nothing there. */
import { statfsSync } from 'node:fs'
import { errorCode } from './launcher-error.ts'

const path = '/dev/shm'
/** In bytes. Containers often have 64 MiB. */
const leastFree = 1 << 30

/** Gives its path; undefined if this system has none, or too little of it. */
export function memoryFileSystem(): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize < leastFree ? undefined : path
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}
