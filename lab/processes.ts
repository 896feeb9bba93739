/** The resources of processes, from Linux' /proc. A process that has ended counts as nothing. */
import { readdirSync, readFileSync } from 'node:fs'

/** A tick of /proc/PID/stat, in seconds. */
const tick = 1 / 100

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Returns the fields of /proc/PID/stat after the name, which may contain anything. */
function statOf(pid: number): readonly string[] {
  const text = read(pid, 'stat')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Returns a process and all its descendants. */
export function family(pid: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = pids.map((name) => [Number(name), Number(statOf(Number(name))[1])] as const)
  const found = [pid]
  for (const above of found) found.push(...parents.filter(([, parent]) => parent === above).map(([child]) => child))
  return found
}

/** The resources of a process. */
export interface Taken {
  /** Resident memory in bytes. */
  readonly memory: number
  /** The number of open files and sockets. */
  readonly descriptors: number
}

/** Returns the resources of a process. */
export function takenBy(pid: number): Taken {
  const kibibytes = Number(/VmRSS:\s+(\d+)/.exec(read(pid, 'status'))?.[1] ?? 0)
  try {
    return { memory: kibibytes * 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length }
  } catch {
    return { memory: 0, descriptors: 0 }
  }
}

/** Returns the serving process among a process and its descendants: the one with the most memory. */
export function servingProcess(ancestor: number): number {
  return family(ancestor).sort((a, b) => takenBy(b).memory - takenBy(a).memory)[0] ?? ancestor
}

/** Returns the memory of processes now, in MiB. */
export const residentMebibytes = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + takenBy(pid).memory, 0) / 2 ** 20

/** Returns the largest memory that processes have ever had, in MiB: the sum of their maxima. */
export function residentPeakMebibytes(pids: readonly number[]): number {
  const kibibytes = pids.map((pid) => Number(/VmHWM:\s+(\d+)/.exec(read(pid, 'status'))?.[1] ?? 0))
  return kibibytes.reduce((sum, each) => sum + each, 0) / 1024
}

/** Returns the processor time of processes, in seconds. */
export function processorSeconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const fields = statOf(pid)
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  })
  return ticks.reduce((sum, each) => sum + each, 0) * tick
}
