/** Synchronous work that first needs a fetch. */

/** Releases the result of a fetch. */
export type LetGo = () => void

/**
 * Thrown by synchronous work (a commit, an encoder) that needs something which only a fetch can bring. A caller that can wait
 * runs the fetch and repeats the work from the beginning.
 */
export class Pending extends Error {
  /**
   * Fetches what is missing. The result stays cached until it is released, and after that as long as it is certainly valid.
   * Rejects with the error that the work shall fail with.
   */
  readonly fetch: () => Promise<LetGo>

  constructor(fetch: () => Promise<LetGo>) {
    super('something has to be fetched first')
    this.fetch = fetch
  }
}

/** Bounds on the attempts and on the total time in milliseconds: other writes can change which fetches the work needs. */
const mostAttempts = 50
const patience = 60_000

/**
 * Runs the work, and repeats it after every fetch that it needs.
 * @param tired makes the error for work that needs too many fetches or takes too long
 */
export async function whenFetched<T>(work: () => Promise<T>, tired: () => Error): Promise<T> {
  const began = Date.now()
  const held: LetGo[] = []
  try {
    for (let attempt = 1; attempt <= mostAttempts && Date.now() - began < patience; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof Pending)) throw error
        held.push(await error.fetch())
      }
    }
    throw tired()
  } finally {
    for (const letGo of held) letGo()
  }
}
