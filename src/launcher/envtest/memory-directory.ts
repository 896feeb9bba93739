/** Directories in memory for the data of tests: envtest runs etcd with --unsafe-no-fsync, which SQLite in workerd cannot do. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { errorCode } from '../launcher-error.ts'
import { memoryFileSystem } from '../memory-file-system.ts'

const prefix = `edgeplane-etcd-${process.getuid?.() ?? 0}-`

/** Tells whether envtest has made the directory for this run, and will remove it: no other run expects the data. */
export const isForOneRun = (directory: string): boolean =>
  basename(directory).startsWith('k8s_test_framework_') && resolve(dirname(directory)) === resolve(tmpdir())

/**
 * Makes a directory in memory, which is removed when this process exits; undefined if this system has none, or too little of it.
 * Directories that killed processes of this user have left behind are removed.
 */
export function memoryDirectory(): string | undefined {
  const memory = memoryFileSystem()
  if (memory === undefined) return undefined
  try {
    for (const name of readdirSync(memory)) if (isLeftBehind(name)) rmSync(join(memory, name), { recursive: true, force: true })
    const path = join(memory, `${prefix}${process.pid}`)
    mkdirSync(path, { mode: 0o700 })
    process.once('exit', () => rmSync(path, { recursive: true, force: true }))
    return path
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  }
}

function isLeftBehind(name: string): boolean {
  if (!name.startsWith(prefix)) return false
  try {
    process.kill(Number(name.slice(prefix.length)), 0)
    return false
  } catch (error) {
    return errorCode(error) === 'ESRCH'
  }
}
