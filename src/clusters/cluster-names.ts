/**
 * The names of clusters. Anybody can invent a name, and asking the object of each would keep objects busy: the holder of the Cluster
 * objects is asked for all of them at once (docs/decisions/strangers.md).
 */
import { notFound } from '../meta/errors.ts'
import { StrangerTurns, within } from './stranger-reads.ts'

/** The maximum number of names in one question. */
const mostNames = 1000

/** The time after which a question counts as lost, because the runtime has ended the request that asked it; in milliseconds. */
const lostAfter = 10_000

/** The names that are asked for together. */
interface Question {
  readonly names: Set<string>
  readonly existing: Promise<ReadonlySet<string>>
  readonly lostAt: number
}

/** Finds out whether clusters exist: with one question a second in an isolate, for all names together. */
export class ClusterNames {
  readonly #turns = new StrangerTurns()
  readonly #ask: (names: readonly string[]) => Promise<ReadonlySet<string>>
  #next: Question | undefined

  /** @param ask returns those of the names that are names of clusters */
  constructor(ask: (names: readonly string[]) => Promise<ReadonlySet<string>>) {
    this.#ask = ask
  }

  /**
   * Resolves when a cluster is known to exist.
   * @returns false if too many names are asked for
   * @throws ApiError 404 if it does not exist
   */
  async confirm(name: string): Promise<boolean> {
    const now = Date.now()
    const question = this.#next !== undefined && now < this.#next.lostAt ? this.#next : this.#begin(now)
    if (question.names.size >= mostNames && !question.names.has(name)) return false
    question.names.add(name)
    const existing = await within(question.existing, lostAfter)
    if (!existing.has(name)) throw notFound({ group: 'edgeplane.dev', resource: 'clusters' }, name)
    return true
  }

  #begin(now: number): Question {
    const wait = this.#turns.reserve(now)
    const names = new Set<string>()
    const question = { names, existing: this.#after(wait, names), lostAt: now + wait + lostAfter }
    this.#next = question
    return question
  }

  /** Asks for the names that have come by then. Later ones are in the next question. */
  async #after(wait: number, names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    await new Promise((resolve) => setTimeout(resolve, wait))
    if (this.#next?.names === names) this.#next = undefined
    return this.#ask([...names])
  }
}
