/** The kernel's figures of processes. */
import { readFileSync } from 'node:fs'

/** A tick of /proc/PID/stat, in seconds. */
const tick = 1 / 100

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Returns the largest memory that processes have ever had, in MiB: the sum of their maxima. One that has ended counts as nothing. */
export function residentPeakMebibytes(pids: readonly number[]): number {
  const kibibytes = pids.map((pid) => Number(/VmHWM:\s+(\d+)/.exec(read(pid, 'status'))?.[1] ?? 0))
  return kibibytes.reduce((sum, each) => sum + each, 0) / 1024
}

/** Returns the processor time of processes, in seconds. */
export function processorSeconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const stat = read(pid, 'stat')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  })
  return ticks.reduce((sum, each) => sum + each, 0) * tick
}
