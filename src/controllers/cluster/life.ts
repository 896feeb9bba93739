/** The parts of a control object that concern the life of its named cluster: the usage of other objects, and the expiry. */
import type { ClusterLimits, ClusterUse, UseAnswer, UseReport } from '../../clusters/cluster-terms.ts'
import type { AlarmPart } from '../alarms.ts'
import type { ClusterRecord } from './record.ts'
import { useKey } from './use.ts'

/** The usage of an object that holds nothing. */
export const noUse: ClusterUse = { objects: 0, bytes: 0 }

const sum = (one: ClusterUse, other: ClusterUse): ClusterUse => ({
  objects: one.objects + other.objects,
  bytes: one.bytes + other.bytes,
})

/** The key prefix of the reports of other objects. */
const reportPrefix = `${useKey}/`

/** The usage of the cluster's other Durable Objects, as they last reported it. */
export class ReportedUses {
  readonly #kv: SyncKvStorage
  readonly #limits: () => ClusterLimits
  readonly #uses: Map<string, ClusterUse>
  #sum: ClusterUse

  /** @param limits returns the current limits of the cluster */
  constructor({ kv }: Pick<DurableObjectStorage, 'kv'>, limits: () => ClusterLimits) {
    this.#kv = kv
    this.#limits = limits
    this.#uses = new Map([...kv.list<ClusterUse>({ prefix: reportPrefix })].map(([key, use]) => [key, use]))
    this.#sum = [...this.#uses.values()].reduce(sum, noUse)
  }

  /** The limits, and the usage of all objects that have reported. */
  get answer(): UseAnswer {
    return { limits: this.#limits(), others: this.#sum }
  }

  /** Returns the usage of the cluster. @param own the usage of the control object */
  sumWith(own: ClusterUse): ClusterUse {
    return sum(own, this.#sum)
  }

  /**
   * Takes a report. Returns the limits, and the usage of all objects but the reporting one.
   * @param own the usage of the control object
   */
  receive({ name, objects, bytes }: UseReport, own: ClusterUse): UseAnswer {
    const [key, use] = [reportPrefix + name, { objects, bytes }]
    const { objects: formerObjects, bytes: formerBytes } = this.#uses.get(key) ?? noUse
    const others = sum(this.#sum, { objects: -formerObjects, bytes: -formerBytes })
    this.#uses.set(key, use)
    this.#kv.put(key, use)
    this.#sum = sum(others, use)
    return { limits: this.#limits(), others: sum(others, own) }
  }
}

/** The pause after a request to delete the cluster, which a finalizer may delay; in milliseconds. */
const pause = 60_000

/** Has the cluster deleted when its time is over. */
export class ClusterExpiry implements AlarmPart {
  readonly name = 'cluster-expiry'
  readonly #record: ClusterRecord
  readonly #report: () => Promise<void>
  #notBefore = 0

  /** @param report asks for the deletion of the Cluster object */
  constructor(record: ClusterRecord, report: () => Promise<void>) {
    this.#record = record
    this.#report = report
  }

  nextAlarm(): number | undefined {
    const { expiresAt } = this.#record.terms ?? {}
    return expiresAt === undefined ? undefined : Math.max(expiresAt, this.#notBefore)
  }

  async work(now: number): Promise<void> {
    const dueAt = this.nextAlarm()
    if (dueAt === undefined || dueAt > now) return
    this.#notBefore = now + pause
    await this.#report()
  }
}
