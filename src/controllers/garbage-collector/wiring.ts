/**
 * Garbage collection by owner references. Follows "Garbage Collection" of the Kubernetes documentation and
 * kube-controller-manager's garbage collector, in what clients see of it.
 *
 * Every collection keeps an index of the owners that its objects name. It asks for an owner once, when it is first named;
 * from then on the owner's collection tells of its deletion. Collections tell only those that have introduced themselves.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { OwnerSubscriptions } from '../../registry/owners.ts'
import type { Registry } from '../../registry/registry.ts'
import { selectNextDue } from '../../storage/owner-statements.ts'
import { indexOwners } from '../../storage/owners.ts'
import type { StoreEvent } from '../../storage/store.ts'
import type { CollectorContext } from './context.ts'
import { DependentIndex } from './dependent-index.ts'
import { eventReporter } from './events.ts'
import { KnownKinds } from './known-kinds.ts'
import { type Answers, type Message, placeText, send } from './messages.ts'
import { OwnerIndex } from './owner-index.ts'
import { OwnerQueries } from './owner-queries.ts'

/** Objects that are no part of the graph of owners, as upstream's collector ignores them. */
const ignored = 'events/'

/** What follows from changes that come close together is done at once. */
const gatheringMilliseconds = 25

/** What the collector needs of the object that it is part of. */
export interface CollectorHost {
  readonly storage: DurableObjectStorage
  readonly registry: () => Registry
  readonly collections: CollectionClient
  /** The kind of the custom resources of the object, where it holds some. */
  readonly customKind: () => Kind | undefined
  /** The own place, a text of placeText. */
  readonly place: string
  /** Something has become due: the alarm is to be set. Runs within a commit. */
  readonly wake: () => void
  /** Whether garbage is collected here: an outside controller may do it. The index of owners is kept in either case. */
  readonly collects: boolean
}

/** What the registry is told where others collect: nobody has to know of dependents. */
const anyOwners: OwnerSubscriptions = { isSubscribed: () => true, subscribe: async () => {} }

/** The part of one Durable Object. */
export class GarbageCollector {
  readonly #host: CollectorHost
  readonly #owners: OwnerIndex
  readonly #dependents: DependentIndex
  readonly #questions: OwnerQueries
  /** When the next thing is due; 'unknown' where the database has to be asked. */
  #due: number | undefined | 'unknown' = 'unknown'

  constructor(host: CollectorHost) {
    this.#host = host
    const { storage, collections: objects, place } = host
    const of: CollectorContext = {
      sql: storage.sql,
      get registry() {
        return host.registry()
      },
      kinds: new KnownKinds(objects, host.customKind),
      place,
      placeOf: (storage) => placeText(objects.placementOf(storage)),
      send: async (to, message) => (to === place ? this.#answer(message) : await send(objects, to, message)),
      report: eventReporter(objects, Date.now),
    }
    this.#owners = new OwnerIndex(of)
    this.#dependents = new DependentIndex(of, (prefix) => this.#owners.placesOf(prefix))
    this.#questions = new OwnerQueries(of)
  }

  /** What the registry asks before it stores an object with owners. */
  get owners(): OwnerSubscriptions {
    return this.#host.collects ? this.#questions : anyOwners
  }

  /** Takes note of a change, within its commit. */
  changed(event: StoreEvent): void {
    if (event.object.key.startsWith(ignored)) return
    const due = Date.now() + gatheringMilliseconds
    const indexed = indexOwners(this.#host.storage.sql, event, due)
    const noted = this.#owners.changed(event, due)
    if (!this.#host.collects || (!indexed && !noted)) return
    if (this.#due === undefined || (this.#due !== 'unknown' && due < this.#due)) this.#due = due
    this.#host.wake()
  }

  /** When there is something to do; undefined where nothing is to come. */
  nextAlarm(): number | undefined {
    if (!this.#host.collects) return undefined
    if (this.#due === 'unknown') this.#due = selectNextDue(this.#host.storage.sql)
    return this.#due
  }

  /** Answers what another Durable Object says, once what follows from it is durable. */
  async receive(request: Request): Promise<Response> {
    const answer = this.#answer((await request.json()) as Message)
    await this.#host.storage.sync()
    this.#due = 'unknown'
    this.#host.wake()
    return Response.json(answer)
  }

  /** Does a bounded part of what is due. */
  async work(): Promise<void> {
    const now = Date.now()
    const next = this.nextAlarm()
    if (next === undefined || next > now) return
    try {
      await this.#questions.work(now)
      await this.#dependents.work(now)
      await this.#owners.work(now)
    } finally {
      this.#due = 'unknown'
    }
  }

  #answer<M extends Message>(message: M): Answers[M['do']]
  #answer(message: Message): Answers[Message['do']] {
    const now = Date.now()
    this.#due = 'unknown'
    switch (message.do) {
      case 'introduce':
        this.#owners.introduce(message.place, message.prefixes)
        return null
      case 'ask':
        return this.#owners.ask(message.place, message.owners, now)
      case 'tell':
        return this.#dependents.ownersDeleted(message.place, message.phase, message.uids, now)
      case 'done':
        this.#owners.done(message.place, message.uid, message.phase, now)
        return null
      case 'count':
        return this.#dependents.count(message.uids)
    }
  }
}
