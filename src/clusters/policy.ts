/**
 * The policy snapshot: objects that decide about requests for other objects, cached in the Worker. A positive answer may be one
 * second old; a permission or the admission configuration may be older if the operator allows it (docs/decisions/policy-age.md).
 * A negative answer rests on a snapshot that was asked for after the request arrived; only for strangers it may be as old as a
 * positive one (docs/decisions/strangers.md).
 */

import { ApiError, ClusterReplaced, tooManyRequests } from '../meta/errors.ts'
import { logError } from '../meta/log.ts'
import type { CollectionClient } from './collection-client.ts'
import { commonParts, keepCommonParts } from './common-parts.ts'
import { controlProtocol } from './control-protocol.ts'
import { exchange } from './message.ts'
import type { NamespacePhase, NamespaceResult } from './namespace-facts.ts'
import type { PolicyQuestion } from './policy-messages.ts'
import { accountHeader, readAheadHeader, type State, settledHeader } from './policy-messages.ts'
import type { AccountFacts, Cached, Loaded, Renewal } from './policy-renewals.ts'
import { namespaceIn, type PolicyChanges, type PolicySnapshot, snapshotOf } from './policy-snapshot.ts'
import type { ReadAhead } from './read-ahead.ts'
import { StrangerRead, StrangerTurns, within } from './stranger-reads.ts'
import { unwrap } from './wire-error.ts'

/**
 * The maximum age of a positive answer in milliseconds, except permissions. A Worker may use an outdated answer for so long: what
 * must not rest on one is asked again in the commit.
 */
export const maximumAge = 1000

/**
 * The milliseconds before its maximum age at which a snapshot is renewed in the background, so that most requests never wait for a
 * renewal.
 */
const earlier = maximumAge / 2

/** A request, as far as it matters to its questions. It needs one renewal at most. */
export interface Asker {
  /** Whether the client is not authenticated. */
  readonly isStranger: boolean
  /** The number of renewals that had begun when it arrived. */
  readonly arrivedAfter: number
  /** The read that a renewal may bring along; undefined for other requests. */
  readonly readAhead?: ReadAhead | undefined
  /** Called before it waits for an answer. */
  readonly waits?: (() => void) | undefined
}

/** The questions that go with a renewal. */
interface RenewalOptions {
  /** The ServiceAccount, as JSON. */
  readonly account?: string
  readonly asker?: Asker | undefined
}

/** The time in milliseconds after which a request no longer waits for the renewal of another one. */
const longestJoin = 5000

/** The time in milliseconds after which an outdated snapshot is used instead of a renewal, if that is allowed. */
const answerWithin = 2000

/** The maximum age of a snapshot for strangers while other reads of strangers are before its renewal; in milliseconds. */
const maximumAgeForStrangers = 5000

/** A question to the snapshot. */
interface Question<T> {
  /** Computes the answer. */
  readonly from: (snapshot: PolicySnapshot) => T
  /** Whether the answer may be used although it may be outdated. */
  readonly isPositive: (answer: T) => boolean
  readonly asker: Asker | undefined
  readonly state: State
  /** The maximum age of a positive answer in milliseconds. */
  readonly age: number
}

export interface PolicyCacheOptions {
  /** The budget for reads on behalf of strangers. */
  readonly turns?: StrangerTurns
  /** The milliseconds for which a snapshot is used beyond its maximum age while the control object does not answer. */
  readonly staleFor?: number
  /** The maximum age of permissions and of the admission configuration, in milliseconds. */
  readonly permissionAge?: number
}

/**
 * The policy snapshot of one cluster in this isolate.
 * @example
 * const policy = new PolicyCache(client)
 * const phase = await policy.namespacePhase('default')
 * const isServed = await policy.answer(({ definitions }) => 'bolts.example.com' in definitions, (served) => served)
 */
export class PolicyCache {
  readonly #client: CollectionClient
  readonly #staleFor: number
  readonly #permissionAge: number
  readonly #ofStrangers: StrangerRead<PolicySnapshot>
  #cached: Cached | undefined
  /** The number of renewals that have begun. */
  #begun = 0
  /** The number of the newest renewal that is outdated. */
  #outdated = 0
  #renewal: Renewal | undefined
  /** The time at which the last background renewal began. */
  #renewing = 0
  /** The time at which the last renewal failed. */
  #failedAt = 0

  constructor(client: CollectionClient, options: PolicyCacheOptions = {}) {
    const { turns = new StrangerTurns(), staleFor = 0, permissionAge = maximumAge } = options
    this.#client = client
    this.#staleFor = staleFor
    this.#permissionAge = permissionAge
    this.#ofStrangers = new StrangerRead(turns, () => this.#renewed('committed'))
  }

  /** Whether the control object has ever answered, so that the cluster is known to exist. */
  get isLoaded(): boolean {
    return this.#cached !== undefined
  }

  /** Whether renewals can bring reads along: only if the control object holds all collections. */
  get bringsReads(): boolean {
    return this.#client.placement === 'one-object'
  }

  /** The number of renewals that have begun: a request notes it when it arrives. */
  get begun(): number {
    return this.#begun
  }

  /**
   * Computes an answer from the cached snapshot; if the answer is negative or the snapshot outdated, from a renewed snapshot.
   * @param from computes the answer
   * @param isPositive whether the answer may be used although it may be outdated
   * @param asker the request; without it, a negative answer comes from a snapshot that is asked for now
   * @param state that a renewed snapshot must have reached
   */
  answer<T>(
    from: (snapshot: PolicySnapshot) => T,
    isPositive: (answer: T) => boolean,
    asker?: Asker,
    state: State = 'committed',
  ): Promise<T> {
    return this.#answer({ from, isPositive, asker, state, age: maximumAge })
  }

  /** Decides about a permission: the same as `answer`, with the maximum age of permissions. */
  permission<T>(from: (snapshot: PolicySnapshot) => T, isAllowed: (answer: T) => boolean, asker?: Asker): Promise<T> {
    return this.#answer({ from, isPositive: isAllowed, asker, state: 'committed', age: this.#permissionAge })
  }

  async #answer<T>({ from, isPositive, asker, state, age }: Question<T>): Promise<T> {
    const isFinal = (cached: Cached, answer: T): boolean => isPositive(answer) || isConclusive(cached, asker, state)
    const usable = this.#usable(age)
    if (usable !== undefined) {
      const answer = from(usable.snapshot)
      if (isFinal(usable, answer)) return answer
    }
    const confirmed = asker?.isStranger === true ? undefined : this.#confirmed()
    if (confirmed !== undefined) return from(confirmed)
    asker?.waits?.()
    if (asker?.isStranger === true) return from(await this.#forStranger())
    await this.#joined(usable === undefined ? this.#outdated : Math.max(this.#outdated, asker?.arrivedAfter ?? this.#begun))
    const joined = this.#usable(age)
    if (joined !== undefined && joined !== usable) {
      const answer = from(joined.snapshot)
      if (isFinal(joined, answer)) return answer
    }
    return from(await this.#renewed(state, asker))
  }

  /** Returns the phase, labels and limits of a namespace; undefined if it does not exist. */
  namespace(name: string, asker?: Asker): Promise<NamespaceResult | undefined> {
    return this.answer(
      (snapshot) => namespaceIn(snapshot, name),
      (found) => found?.phase === 'Active',
      asker,
    )
  }

  /** Returns the phase of a namespace; undefined if it does not exist. */
  async namespacePhase(name: string, asker?: Asker): Promise<NamespacePhase | undefined> {
    return (await this.namespace(name, asker))?.phase
  }

  /** Returns a snapshot of at most the maximum age of permissions, without waiting if there is one. */
  current(): PolicySnapshot | Promise<PolicySnapshot> {
    return (
      this.#usable(this.#permissionAge)?.snapshot ??
      this.answer(
        (snapshot) => snapshot,
        () => true,
      )
    )
  }

  /**
   * Returns the cached snapshot, however old, without waiting. If permissions may soon no longer rest on it, it is renewed in the
   * background, but not for strangers. Only the first call has to wait for a snapshot.
   * @param waitUntil keeps the request alive until the background work is done
   */
  cached(waitUntil: (work: Promise<unknown>) => void, asker?: Asker): PolicySnapshot | Promise<PolicySnapshot> {
    const cached = this.#cached
    if (cached === undefined) {
      asker?.waits?.()
      return asker?.isStranger === true ? this.#forStranger() : this.current()
    }
    if (asker?.isStranger === true) return cached.snapshot
    const now = Date.now()
    const old = cached.number <= this.#outdated || now - cached.at >= this.#permissionAge - earlier
    if (old && now - this.#renewing >= earlier) {
      this.#renewing = now
      waitUntil(
        this.#begin('committed', { asker }).catch((error: unknown) => logError('the policy snapshot was not renewed', error)),
      )
    }
    return cached.snapshot
  }

  /** Returns a snapshot, asked for after the request arrived, in which the names of all definitions have been decided. */
  refresh(asker?: Asker): Promise<PolicySnapshot> {
    return this.answer(
      (snapshot) => snapshot,
      () => false,
      asker,
      'settled',
    )
  }

  /**
   * Returns a ServiceAccount; undefined if it does not exist. The same request to the control object renews the snapshot.
   * @param account its name, and the uid of a token: only an account with this uid may be a second old
   * @throws Error if the control object does not tell
   */
  async account(
    account: { readonly namespace: string; readonly name: string; readonly uid: string },
    asker?: Asker,
  ): Promise<AccountFacts | undefined> {
    asker?.waits?.()
    const found = (await this.#begin('committed', { account: JSON.stringify(account), asker })).account
    if (found === 'unknown') throw new Error('the control object is of a release that knows no accounts')
    return found ?? undefined
  }

  /**
   * Checks that the control object has answered within the last second. Probes count as requests of strangers.
   * @throws Error if it does not answer
   */
  async confirm(): Promise<void> {
    const failed = (): boolean => this.#failedAt > (this.#cached?.requestedAt ?? 0)
    const isRecent = (at: number | undefined): boolean => at !== undefined && Date.now() - at < maximumAge
    const isKnown = failed() ? isRecent(this.#failedAt) : isRecent(this.#usable(maximumAge)?.requestedAt)
    if (!isKnown) await this.#forStranger()
    if (failed()) throw new Error('the control object does not answer')
  }

  /** The last snapshot, however old; undefined before the first one. */
  get known(): PolicySnapshot | undefined {
    return this.#cached?.snapshot
  }

  /** Makes the next answer renew the snapshot, because the caller has just changed an object in it. */
  invalidate(): void {
    this.#outdated = this.#begun
  }

  /** Returns the cached snapshot if positive answers of this maximum age may rest on it. */
  #usable(age: number): Cached | undefined {
    const cached = this.#cached
    if (cached === undefined || cached.number <= this.#outdated) return undefined
    return Date.now() - cached.at < age ? cached : undefined
  }

  /**
   * Renews the snapshot without a request, if the control object is in this isolate and has no other one. Requests of strangers
   * and probes do not end here: they find out whether the control object answers.
   */
  #confirmed(): PolicySnapshot | undefined {
    const cached = this.#cached
    if (cached === undefined || !this.#client.confirmsPolicy(cached.parts)) return undefined
    this.#begun++
    this.#cached = { ...cached, at: Date.now(), number: this.#begun, isSettled: true }
    return cached.snapshot
  }

  /** Renews the snapshot within the budget of strangers. Until it is their turn, a snapshot of a few seconds serves them. */
  async #forStranger(): Promise<PolicySnapshot> {
    const cached = this.#cached
    const isRecent = cached !== undefined && Date.now() - cached.at < maximumAgeForStrangers
    if (isRecent && this.#ofStrangers.isPending) return cached.snapshot
    const snapshot = await this.#ofStrangers.next()
    if (snapshot === undefined) throw tooManyRequests()
    return snapshot
  }

  /** Waits for a renewal after the numbered one, if the background work or another request has begun one. */
  async #joined(after: number): Promise<void> {
    const renewal = this.#renewal
    if (renewal === undefined || renewal.number <= after) return
    await within(renewal.loaded, longestJoin).catch(() => undefined)
  }

  /** Renews the snapshot. While the control object does not answer, an older snapshot may be used for a bounded time. */
  async #renewed(state: State, asker?: Asker): Promise<PolicySnapshot> {
    const cached = this.#cached
    const now = Date.now()
    if (cached === undefined || now - cached.at >= maximumAge + this.#staleFor || this.#staleFor === 0)
      return this.#renew(state, asker)
    if (this.#failedAt > cached.at && now - this.#failedAt < maximumAge) return cached.snapshot
    try {
      return await within(this.#renew(state, asker), answerWithin)
    } catch (error) {
      if (error instanceof ClusterReplaced) throw error
      this.#failedAt = Date.now()
      logError('an older policy snapshot is used', error)
      return cached.snapshot
    }
  }

  async #renew(state: State, asker: Asker | undefined): Promise<PolicySnapshot> {
    return (await this.#begin(state, { asker })).snapshot
  }

  /** Begins a renewal, which other requests may join. */
  #begin(state: State, options: RenewalOptions): Promise<Loaded> {
    this.#begun++
    const number = this.#begun
    const loaded = this.#load(state, number, options)
    const renewal = { number, loaded }
    this.#renewal = renewal
    const end = (): void => {
      if (this.#renewal === renewal) this.#renewal = undefined
    }
    loaded.then(end, (error: unknown) => {
      this.#failedAt = Date.now()
      // The cluster has been deleted.
      if (error instanceof ApiError && error.code === 404) this.#cached = undefined
      end()
    })
    return loaded
  }

  async #load(state: State, number: number, { account, asker }: RenewalOptions): Promise<Loaded> {
    const cached = this.#cached
    const known = cached?.parts ?? commonParts()
    const at = Date.now()
    const versions = Object.fromEntries(Object.entries(known).map(([name, { version }]) => [name, version]))
    const { headers, changes } = await this.#ask({ versions, state, account }, asker?.readAhead)
    if (cached === undefined) keepCommonParts(changes)
    const parts = { ...known, ...changes }
    const isSettled = headers.get(settledHeader) !== null
    // A snapshot without changes stays the same object: its users keep what they have made of it.
    const isSame = this.#cached?.parts === known && Object.keys(changes).length === 0
    const snapshot = (isSame ? this.#cached?.snapshot : undefined) ?? snapshotOf(parts)
    // A later renewal may have been answered earlier.
    if ((this.#cached?.number ?? 0) < number) this.#cached = { parts, snapshot, at, requestedAt: at, number, isSettled }
    return { snapshot, account: JSON.parse(headers.get(accountHeader) ?? '"unknown"') as Loaded['account'] }
  }

  /** Asks the control object for changes, with a read if it holds all collections. */
  async #ask(question: PolicyQuestion, readAhead: ReadAhead | undefined): Promise<{ headers: Headers; changes: PolicyChanges }> {
    const read = this.bringsReads ? readAhead?.begin() : undefined
    let answer: Response | undefined
    try {
      const response = await exchange(this.#client.control(), controlProtocol.policy, { ...question, read })
      const { headers } = response
      if (headers.get(readAheadHeader) !== null) answer = response
      const changes = answer === undefined ? await (await unwrap(response)).json<PolicyChanges>() : {}
      this.#client.learn(response)
      return { headers, changes }
    } finally {
      if (read !== undefined) readAhead?.arrived(answer)
    }
  }
}

/** Whether a negative answer from the snapshot is final. */
function isConclusive({ number, isSettled }: Cached, asker: Asker | undefined, state: State): boolean {
  if (asker === undefined) return false
  return asker.isStranger || (number > asker.arrivedAfter && (isSettled || state === 'committed'))
}
