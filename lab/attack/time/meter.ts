/** Measures the processor time of a process from Linux' /proc: unlike the time of a clock, it does not depend on other processes. */
import { readdirSync, readFileSync } from 'node:fs'

/** Returns the processor time of all threads of a process, in milliseconds. */
export function processorTime(pid: number): number {
  const tasks = `/proc/${pid}/task`
  let nanoseconds = 0
  for (const thread of readdirSync(tasks)) {
    try {
      nanoseconds += Number(readFileSync(`${tasks}/${thread}/schedstat`, 'utf8').split(' ', 1)[0])
    } catch {
      // The thread has ended in the meantime.
    }
  }
  return nanoseconds / 1e6
}
