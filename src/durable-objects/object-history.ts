/** How long the history of the collections in a Durable Object is kept: as the cluster wishes, and as forks need it. */
import type { KeptHistory } from '../clusters/fork-messages.ts'
import type { HistoryBounds } from '../storage/compaction.ts'

/** The history that is kept in any case, and the part of it that forks need. */
export interface ObjectHistory extends HistoryBounds {
  /** Resolves to the time from which on history has to be kept, in milliseconds since the epoch. */
  keptFrom(): Promise<number>
}

/** The storage key of the wish of a named cluster, as its control object last told it. It belongs to the place. */
export const historyKey = 'history-seconds'

/** A wish, or `setting` for that of the deployment. */
type Wish = number | 'setting'

/** The parts of a collection's object that its history depends on. */
export interface CollectionHistoryHost {
  readonly kv: SyncKvStorage
  /** Whether the cluster is a named one, which may have a wish of its own. */
  readonly isNamed: boolean
  /** The settings of the deployment. */
  readonly setting: HistoryBounds
  /** Asks the control object; undefined if the cluster does not exist any more. */
  readonly ask: () => Promise<KeptHistory | undefined>
}

/**
 * The history of a collection in an object of its own. Its control object knows what has to be kept, and tells it when that changes.
 * So the answer that no fork needs anything is remembered, as long as the object is in memory.
 */
export class CollectionHistory implements ObjectHistory {
  readonly historyEvents: number
  readonly #host: CollectionHistoryHost
  #wish: Wish | undefined
  #isFree = false
  /** The number of messages about changes. */
  #changes = 0

  constructor(host: CollectionHistoryHost) {
    this.#host = host
    this.historyEvents = host.setting.historyEvents
  }

  /** 0 until the wish of a named cluster is known: then compaction is due, which asks for it before it deletes anything. */
  get historySeconds(): number {
    const { isNamed, kv, setting } = this.#host
    this.#wish ??= isNamed ? kv.get<Wish>(historyKey) : 'setting'
    return this.#wish === 'setting' ? setting.historySeconds : (this.#wish ?? 0)
  }

  async keptFrom(): Promise<number> {
    if (this.#isFree) return Number.POSITIVE_INFINITY
    const before = this.#changes
    const answer = await this.#host.ask()
    if (answer === undefined) return Number.POSITIVE_INFINITY
    // A message that has come meanwhile is newer than the answer.
    if (this.#changes === before) {
      this.#learn(answer.historySeconds)
      this.#isFree = answer.isHeld === false
    }
    return answer.from
  }

  /** Takes the message that a fork needs history, or that the cluster wishes another one. */
  changed(historySeconds: number | undefined): void {
    this.#changes++
    this.#isFree = false
    this.#learn(historySeconds)
  }

  /** @param seconds the wish of the cluster; undefined for the setting of the deployment */
  #learn(seconds: number | undefined): void {
    const { isNamed, kv } = this.#host
    const wish = seconds ?? 'setting'
    if (isNamed && kv.get<Wish>(historyKey) !== wish) kv.put(historyKey, wish)
    this.#wish = wish
  }
}
