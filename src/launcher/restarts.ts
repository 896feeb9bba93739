/** How often a workerd that ends by itself is started again: at once, then after longer and longer pauses, then no more. */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { LauncherError } from './launcher-error.ts'

/** Before each restart of a row, in milliseconds; the same as in supervise.sh. */
const pauses = [0, 0, 1000, 1000, 2000] as const
/** A workerd that has run for so long begins a new row. */
const longRun = 10_000

/** The restarts of one server. */
export class Restarts {
  #row = 0
  #startedAt = Date.now()

  /**
   * Tells that workerd has ended, and waits for its next start.
   * @throws LauncherError where it ends again and again
   */
  async next({ exitCode, signalCode }: ChildProcess): Promise<void> {
    if (Date.now() - this.#startedAt >= longRun) this.#row = 0
    const wait = pauses[this.#row++]
    const text = `workerd ended unexpectedly (exit status ${exitCode ?? signalCode})`
    if (wait === undefined) throw new LauncherError(`${text}, again and again.`)
    process.stderr.write(`edgeplane: ${text}: it is started again.\n`)
    await pause(wait)
    this.#startedAt = Date.now()
  }
}
