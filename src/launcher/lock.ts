import type ChildProcess from 'node:child_process'
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { DataDirectory } from './data-directory.ts'
import { errorCode, LauncherError } from './launcher-error.ts'

/**
 * Takes the data directory for this process, and ends a workerd that a killed launcher has left behind on it. The lock names the
 * process and when it started, so that a reused process id does not count; it stays valid when the process replaces its program.
 * @throws LauncherError if a running server has it
 */
export async function lockDataDirectory(directory: DataDirectory): Promise<void> {
  const lock = join(directory.run, 'lock')
  const mine = join(directory.run, `lock.${process.pid}`)
  writeFileSync(mine, `${process.pid} ${processStart(process.pid) ?? ''}\n`, { mode: 0o600 })
  try {
    while (!created(mine, lock)) removeStale(lock, `${mine}.stale`, directory)
  } finally {
    rmSync(mine, { force: true })
  }
  await endOrphan(directory)
}

/** Gives the data directory back, for a start that fails after it took the lock. */
export function unlockDataDirectory(directory: DataDirectory): void {
  rmSync(join(directory.run, 'lock'), { force: true })
}

/** Gives the path of the file with workerd's process id, which the supervisor writes. */
export function workerdPidFile(directory: DataDirectory): string {
  return join(directory.run, 'workerd.pid')
}

function created(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

function removeStale(lock: string, aside: string, directory: DataDirectory): void {
  const held = read(lock)
  if (held === undefined) return
  const [pid = '', ...start] = held.trim().split(' ')
  if (processStart(Number(pid)) === start.join(' ')) {
    throw new LauncherError(`The data directory ${directory.path} is in use by another edgeplane server (process ${pid}).`)
  }
  // Two starts may both find the lock stale: the lock that was moved away is read again, and put back if another start has it by now.
  renameIfPresent(lock, aside)
  const moved = read(aside)
  if (moved !== undefined && moved !== held) created(aside, lock)
  rmSync(aside, { force: true })
}

function renameIfPresent(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

async function endOrphan(directory: DataDirectory): Promise<void> {
  const pid = Number(read(workerdPidFile(directory)) ?? Number.NaN)
  if (!Number.isInteger(pid) || pid <= 1 || !commandLine(pid).includes(directory.run)) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
  const deadline = Date.now() + 2000
  while ((processStart(pid) !== undefined || otherThreads(pid)) && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 2))
}

/** Tells whether threads of a process are still ending: until they have, its port is taken although it is a zombie already. */
function otherThreads(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).length > 1
  } catch {
    return false
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Tells when a process started, as an opaque text that no other process with its id has; undefined if it does not run. */
function processStart(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  if (process.platform === 'linux') {
    const stat = read(`/proc/${pid}/stat`)
    // The second field is the program's name in parentheses, in which anything may stand; state is the third, start the 22nd.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields === undefined || fields[0] === 'Z'
      ? undefined
      : `${read('/proc/sys/kernel/random/boot_id')?.trim()}/${fields[19]}`
  }
  return ps(pid, 'lstart=') || undefined
}

function commandLine(pid: number): string {
  if (process.platform === 'linux') return read(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') ?? ''
  return ps(pid, 'command=')
}

function ps(pid: number, column: string): string {
  // Linux has /proc, and need not load this module.
  const { execFileSync } = createRequire(import.meta.url)('node:child_process') as typeof ChildProcess
  try {
    return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}
