/** What a server takes of its machine, as Linux tells it of its processes. */
import { readdirSync, readFileSync } from 'node:fs'

/** What a process takes. */
export interface Taken {
  /** Resident memory in bytes. */
  readonly memory: number
  /** Files and sockets that are open. */
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
      // It has ended meanwhile.
    }
  }
  return found
}

/** A process and all that it has started. */
function familyOf(ancestor: number): number[] {
  const all = parents()
  const isOf = (pid: number): boolean => pid === ancestor || (all.has(pid) && isOf(all.get(pid) ?? 0))
  return [...all.keys()].filter(isOf)
}

/** The process among them that serves: the largest. */
export function servingProcess(ancestor: number): number {
  return familyOf(ancestor).sort((a, b) => takenBy(b).memory - takenBy(a).memory)[0] ?? ancestor
}

/** Zeros where the system does not tell. */
export function takenBy(pid: number): Taken {
  try {
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    return { memory: kilobytes * 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length }
  } catch {
    return { memory: 0, descriptors: 0 }
  }
}
