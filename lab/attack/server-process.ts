/** Measures a server's resources from Linux' /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** The resources of a process. */
export interface Taken {
  /** Resident memory in bytes. */
  readonly memory: number
  /** The number of open files and sockets. */
  readonly descriptors: number
}

function parents(): Map<number, number> {
  const found = new Map<number, number>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      found.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // The process has ended in the meantime.
    }
  }
  return found
}

/** Returns a process and all its descendants. */
function familyOf(ancestor: number): number[] {
  const all = parents()
  const isOf = (pid: number): boolean => pid === ancestor || (all.has(pid) && isOf(all.get(pid) ?? 0))
  return [...all.keys()].filter(isOf)
}

/** Returns the serving process among them: the one with the most memory. */
export function servingProcess(ancestor: number): number {
  return familyOf(ancestor).sort((a, b) => takenBy(b).memory - takenBy(a).memory)[0] ?? ancestor
}

/** Returns the resources of a process; zeros if the system does not provide them. */
export function takenBy(pid: number): Taken {
  try {
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    return { memory: kilobytes * 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length }
  } catch {
    return { memory: 0, descriptors: 0 }
  }
}
