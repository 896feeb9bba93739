/** Waiting for work that follows from a request and that its answer does not wait for, such as that of controllers. */
import { setTimeout as sleep } from 'node:timers/promises'

/** The pause between two questions, in milliseconds. */
const pause = 20

/**
 * Asks until the answer is as wanted.
 * @param isWanted by default, whether it is true
 * @param limit the milliseconds after which it fails
 * @returns the wanted answer
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  isWanted: (answer: T) => boolean = Boolean,
  limit = 20_000,
): Promise<T> {
  for (const end = Date.now() + limit; ; await sleep(pause)) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    if (Date.now() > end) throw new Error(`in vain for ${limit} ms: ${JSON.stringify(answer)}, of ${ask}`)
  }
}
