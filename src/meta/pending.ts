/** Work that cannot be done yet: something outside has to be asked first. */

/** What was fetched is no longer needed. */
export type LetGo = () => void

/**
 * Thrown out of synchronous work (a commit, an encoder) by what needs something that only a fetch can bring. Who can wait
 * fetches it and does the work again from the beginning.
 */
export class Pending extends Error {
  /**
   * Brings what is missing. It stays until it is let go, then as long as it is true without doubt. Rejects with what the work
   * is then refused with.
   */
  readonly fetch: () => Promise<LetGo>

  constructor(fetch: () => Promise<LetGo>) {
    super('something has to be fetched first')
    this.fetch = fetch
  }
}

/** How often work is begun at most, and for how long in milliseconds: what it needs depends on what others write meanwhile. */
const mostAttempts = 50
const patience = 60_000

/**
 * Does the work, each time again when what it needed has come.
 * @param tired is thrown where there is always something new to fetch, or it takes too long
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
