/**
 * The process of the local server, as far as its supervisor tells the Worker about it: files in a directory. A Worker cannot read
 * /proc, and hears no signals.
 */
import type { Metrics } from '../meta/metrics/metrics.ts'

/** The directory as a service of the runtime. */
export interface ProcessFiles {
  fetch(url: string): Promise<Response>
}

/** Ticks of the kernel's clock in a second, and bytes of a page, as Linux tells programs of all processors that workerd supports. */
const ticks = 100
const pageBytes = 4096

async function fileText(files: ProcessFiles, name: string): Promise<string | undefined> {
  const response = await files.fetch(`http://process/${name}`)
  const text = await response.text()
  return response.ok ? text : undefined
}

/**
 * Adds the CPU time and the memory of the process, if they are known.
 * @param files undefined if the supervisor tells nothing
 */
export async function addProcessMetrics(metrics: Metrics, files: ProcessFiles | undefined): Promise<void> {
  const stat = files === undefined ? undefined : await fileText(files, 'stat')
  // The name of the program is in parentheses, and may contain any character.
  const fields =
    stat
      ?.slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number) ?? []
  const [userTicks, systemTicks, virtualBytes, residentPages] = [11, 12, 20, 21].map((index) => fields[index] ?? Number.NaN)
  if (residentPages === undefined || Number.isNaN(residentPages)) return
  metrics.numbers('process_cpu_seconds_total').of().value = ((userTicks ?? 0) + (systemTicks ?? 0)) / ticks
  metrics.numbers('process_virtual_memory_bytes').of().value = virtualBytes ?? 0
  metrics.numbers('process_resident_memory_bytes').of().value = residentPages * pageBytes
}

/** Rejects if the supervisor has got a signal to stop, and waits for a while before it does. */
export async function confirmRunning(files: ProcessFiles | undefined): Promise<void> {
  if (files !== undefined && (await fileText(files, 'stopping')) !== undefined) throw new Error('process is shutting down')
}
