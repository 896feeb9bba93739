/**
 * The policy snapshot: objects that decide about requests for other objects, cached in the Worker for at most one second. A
 * positive answer may be that old. Before a negative answer, the snapshot is refreshed from the control object.
 */
import { type AdmissionConfiguration, noAdmissionObjects, shared } from './admission-configuration.ts'
import type { CollectionClient } from './collection-client.ts'
import type { DefinitionSummaries } from './definition-summary.ts'
import type { FlowControlObjects } from './flow-control-objects.ts'
import type { NamespaceFacts, NamespaceLimits, NamespacePhase, NamespaceResult } from './namespace-facts.ts'
import type { PriorityClasses } from './priority-classes.ts'
import { fetchInner } from './protocol.ts'
import type { RbacObjects } from './rbac-objects.ts'

/** One part of the snapshot, and the version by which the control object knows whether it has changed. */
interface Part<Value> {
  readonly version: string
  readonly value: Value
}

/** A consistent state of all objects that decide about requests for other objects. */
export interface PolicySnapshot {
  readonly namespaces: Readonly<Record<string, NamespaceFacts>>
  readonly rbac: RbacObjects
  readonly flowControl: FlowControlObjects
  readonly priorityClasses: PriorityClasses
  readonly definitions: DefinitionSummaries
  /** The namespaces that have LimitRanges or ResourceQuotas. */
  readonly limits: Readonly<Record<string, NamespaceLimits>>
  readonly admission: AdmissionConfiguration
}

type Parts = { readonly [Name in keyof PolicySnapshot]: Part<PolicySnapshot[Name]> }

/** The control object's response: the parts whose current versions the Worker does not have. */
export type PolicyChanges = Partial<Parts>

/** The maximum age of a positive answer in milliseconds. A Worker may use an outdated answer for so long. */
export const maximumAge = 1000

/** The age after which a snapshot is refreshed in the background, so that most requests never wait for a refresh. */
const renewalAge = maximumAge / 2

/**
 * The state that the control object must have reached before it responds. `committed`: all acknowledged commits. `settled`: also
 * the names of all CustomResourceDefinitions in them have been accepted or rejected. Only requests for definitions wait for the
 * second.
 */
type State = 'committed' | 'settled'

interface Cached {
  readonly parts: Parts
  readonly snapshot: PolicySnapshot
  readonly at: number
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
  #cached: Cached | undefined
  /** A snapshot that was requested before this time is outdated. */
  #since = 0
  /** The time at which the last background refresh began. */
  #renewing = 0

  constructor(client: CollectionClient) {
    this.#client = client
  }

  /**
   * Computes an answer from the cached snapshot; if the answer is negative or the snapshot outdated, from a refreshed snapshot.
   * @param from computes the answer
   * @param isPositive whether the answer may be used although it may be outdated
   * @param state that a refreshed snapshot must have reached
   */
  async answer<T>(
    from: (snapshot: PolicySnapshot) => T,
    isPositive: (answer: T) => boolean,
    state: State = 'committed',
  ): Promise<T> {
    const cached = this.#cached
    if (cached !== undefined && cached.at >= this.#since && Date.now() - cached.at < maximumAge) {
      const answer = from(cached.snapshot)
      if (isPositive(answer)) return answer
    }
    return from(await this.#load(state))
  }

  /** Returns the phase, labels and limits of a namespace; undefined if it does not exist. */
  namespace(name: string): Promise<NamespaceResult | undefined> {
    return this.answer(
      (snapshot) => namespaceIn(snapshot, name),
      (found) => found?.phase === 'Active',
    )
  }

  /** Returns the phase of a namespace; undefined if it does not exist. */
  async namespacePhase(name: string): Promise<NamespacePhase | undefined> {
    return (await this.namespace(name))?.phase
  }

  /** Returns a snapshot of at most the maximum age, without waiting if there is one. */
  current(): PolicySnapshot | Promise<PolicySnapshot> {
    const cached = this.#cached
    if (cached !== undefined && cached.at >= this.#since && Date.now() - cached.at < maximumAge) return cached.snapshot
    return this.#load('committed')
  }

  /**
   * Returns the cached snapshot, however old, without waiting. If it is older than half of the maximum age, it is refreshed in
   * the background. Only the first call has to wait for a snapshot.
   * @param waitUntil keeps the request alive until the background work is done
   */
  cached(waitUntil: (work: Promise<unknown>) => void): PolicySnapshot | Promise<PolicySnapshot> {
    const cached = this.#cached
    if (cached === undefined) return this.#load('committed')
    const now = Date.now()
    const old = cached.at < this.#since || now - cached.at >= renewalAge
    if (old && now - this.#renewing >= renewalAge) {
      this.#renewing = now
      waitUntil(this.#load('committed').catch((error: unknown) => console.error('the policy snapshot was not renewed:', error)))
    }
    return cached.snapshot
  }

  /** Returns a refreshed snapshot, in which the names of all definitions have been decided. */
  refresh(): Promise<PolicySnapshot> {
    return this.#load('settled')
  }

  /** Makes the next answer refresh the snapshot, because the caller has just changed an object in it. */
  invalidate(): void {
    this.#since = Date.now() + 1
  }

  /** Each request reads the snapshot itself: the runtime cancels a request that awaits I/O of another one. */
  async #load(state: State): Promise<PolicySnapshot> {
    const known = this.#cached?.parts
    const at = Date.now()
    const versions = new URLSearchParams(
      Object.entries(known ?? unknown).map(([name, part]): [string, string] => [name, part.version]),
    )
    versions.set(stateParameter, state)
    const response = await fetchInner(this.#client.control(), `/policy?${versions}`)
    const changes = (await response.json()) as PolicyChanges
    const parts = { ...(known ?? unknown), ...changes }
    const snapshot = snapshotOf(parts)
    this.#cached = { parts, snapshot, at }
    return snapshot
  }
}

/** The query parameter of the control object for the State. */
export const stateParameter = 'state'

/** The parts of a Worker that has asked for none yet. */
const unknown: Parts = {
  namespaces: { version: '', value: {} },
  rbac: { version: '', value: { clusterRoles: {}, roles: {}, bindings: [] } },
  flowControl: { version: '', value: { flowSchemas: [], priorityLevels: [] } },
  priorityClasses: { version: '', value: { byName: {} } },
  definitions: { version: '', value: {} },
  limits: { version: '', value: {} },
  admission: { version: '', value: noAdmissionObjects },
}

function snapshotOf(parts: Parts): PolicySnapshot {
  const values = Object.entries(parts).map(([name, { value }]) => [name, value])
  const snapshot = Object.fromEntries(values) as unknown as PolicySnapshot
  return { ...snapshot, admission: shared(snapshot.admission) }
}

function namespaceIn({ namespaces, limits }: PolicySnapshot, name: string): NamespaceResult | undefined {
  const facts = Object.hasOwn(namespaces, name) ? namespaces[name] : undefined
  if (facts === undefined || !Object.hasOwn(limits, name)) return facts
  return { ...facts, limits: limits[name] ?? {} }
}
