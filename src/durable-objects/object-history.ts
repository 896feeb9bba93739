/** How long the history of the collections in a Durable Object is kept: as the cluster wishes, and as forks need it. */
import { controlProtocol } from '../clusters/control-protocol.ts'
import type { ChangedHistory, KeptHistory } from '../clusters/fork-messages.ts'
import { send } from '../clusters/message.ts'
import { defaultCluster, prefixOfCollection } from '../clusters/placement.ts'
import type { Kernel } from '../controllers/kernel.ts'
import { ApiError } from '../meta/errors.ts'
import type { HistoryBounds } from '../storage/compaction.ts'
import { collectionOf } from './object-name.ts'

/** The storage key of the wish of a named cluster, as its control object last told it. It belongs to the place. */
export const historyKey = 'history-seconds'

/** A wish, or `setting` for that of the deployment. */
type Wish = number | 'setting'

/** The history that a collection in an object of its own keeps in any case: the wish of its cluster, as it was last told. */
export class RequestedHistory implements HistoryBounds {
  readonly historyEvents: number
  readonly #kv: SyncKvStorage
  readonly #setting: HistoryBounds
  readonly #isNamed: boolean
  #wish: Wish | undefined

  /** @param cluster a named one may have a wish of its own */
  constructor({ kv }: Pick<DurableObjectStorage, 'kv'>, cluster: string, setting: HistoryBounds) {
    this.#kv = kv
    this.#setting = setting
    this.#isNamed = cluster !== defaultCluster
    this.historyEvents = setting.historyEvents
  }

  /** 0 until the wish of a named cluster is known: then compaction is due, which asks for it before it deletes anything. */
  get historySeconds(): number {
    this.#wish ??= this.#isNamed ? this.#kv.get<Wish>(historyKey) : 'setting'
    return this.#wish === 'setting' ? this.#setting.historySeconds : (this.#wish ?? 0)
  }

  /** @param seconds the wish of the cluster; undefined for the setting of the deployment */
  request(seconds: number | undefined): void {
    const wish = seconds ?? 'setting'
    if (this.#isNamed && this.#kv.get<Wish>(historyKey) !== wish) this.#kv.put(historyKey, wish)
    this.#wish = wish
  }
}

/**
 * The history of a collection in an object of its own. Its control object knows what has to be kept, and tells it when that changes.
 * So the answer that no fork needs anything is remembered, as long as the object is in memory.
 */
export class CollectionHistory {
  readonly #kernel: Kernel
  readonly #requested: RequestedHistory
  #isFree = false
  /** The number of messages about changes. */
  #changes = 0

  constructor(kernel: Kernel, requested: RequestedHistory) {
    this.#kernel = kernel
    this.#requested = requested
  }

  /** Resolves to the time from which on history has to be kept, in milliseconds since the epoch. */
  async keptFrom(): Promise<number> {
    if (this.#isFree) return Number.POSITIVE_INFINITY
    const before = this.#changes
    const answer = await this.#ask()
    if (answer === undefined) return Number.POSITIVE_INFINITY
    // A message that has come meanwhile is newer than the answer.
    if (this.#changes === before) {
      this.#requested.request(answer.historySeconds)
      this.#isFree = answer.isHeld === false
    }
    return answer.from
  }

  /** Asks the control object; undefined if the cluster does not exist any more. */
  async #ask(): Promise<KeptHistory | undefined> {
    const { client, name } = this.#kernel
    const { group, resource } = collectionOf(name)
    try {
      const prefix = prefixOfCollection(group, resource)
      return await send(client.control(), controlProtocol.keptHistory, { prefix, relies: true })
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined
      throw error
    }
  }

  /** Takes the message that a fork needs history, or that the cluster wishes another one. */
  async changed({ historySeconds }: ChangedHistory): Promise<void> {
    this.#changes++
    this.#isFree = false
    this.#requested.request(historySeconds)
    await this.#kernel.alarms.arm()
  }
}
