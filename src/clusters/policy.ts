/**
 * The policy snapshot: what decides about requests without being their object, kept in the Worker for at most a second.
 * A positive answer may be that old; before a negative one is given, the control object is asked again.
 */
import type { CollectionClient } from './collection-client.ts'
import type { DefinitionSummaries } from './definition-summary.ts'
import type { FlowControlObjects } from './flow-control-objects.ts'
import type { NamespacePhase } from './namespace-phase.ts'
import type { PriorityClasses } from './priority-classes.ts'
import type { RbacObjects } from './rbac-objects.ts'

/** One part of the snapshot, and the version by which the control object knows whether it has changed. */
interface Part<Value> {
  readonly version: string
  readonly value: Value
}

interface Parts {
  readonly namespaces: Part<Readonly<Record<string, NamespacePhase>>>
  readonly rbac: Part<RbacObjects>
  readonly flowControl: Part<FlowControlObjects>
  readonly priorityClasses: Part<PriorityClasses>
  readonly definitions: Part<DefinitionSummaries>
}

/** What the control object answers: the parts that the asker does not have in their current versions. */
export type PolicyChanges = Partial<Parts>

/** A consistent state of all that decides about requests without being their object. */
export interface PolicySnapshot {
  readonly namespaces: Readonly<Record<string, NamespacePhase>>
  readonly rbac: RbacObjects
  readonly flowControl: FlowControlObjects
  readonly priorityClasses: PriorityClasses
  readonly definitions: DefinitionSummaries
}

/** How old a positive answer may be, in milliseconds: so long, a Worker may act on what is no longer so. */
export const maximumAge = 1000

/** From what age on a snapshot is renewed beside the requests that it answers: most of them never wait for a new one. */
const renewalAge = maximumAge / 2

/**
 * What the control object has to have done before it answers: nothing but the commits that it has answered, or also given their
 * names to the definitions in them. Only who asks for a definition waits for the second.
 */
type State = 'committed' | 'settled'

interface Cached {
  readonly parts: Parts
  readonly snapshot: PolicySnapshot
  readonly at: number
}

/** One cluster's snapshot in this isolate. */
export class PolicyCache {
  readonly #objects: CollectionClient
  #cached: Cached | undefined
  /** What was asked before this time counts for nothing. */
  #since = 0
  /** When a renewal was begun that nobody waits for. */
  #renewing = 0

  constructor(objects: CollectionClient) {
    this.#objects = objects
  }

  /**
   * What follows from the snapshot: from the one at hand where that is positive, else from one that is asked for now.
   * @param state of the one that is asked for
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

  /** The phase of a namespace; undefined where there is none. */
  namespacePhase(name: string): Promise<NamespacePhase | undefined> {
    return this.answer(
      ({ namespaces }) => (Object.hasOwn(namespaces, name) ? namespaces[name] : undefined),
      (phase) => phase === 'Active',
    )
  }

  /**
   * What does not wait: the snapshot at hand, however old. One that will soon be older than a positive answer may be is renewed
   * meanwhile.
   * Only where there is none yet, it is waited for.
   * @param waitUntil keeps the request alive until work is done that nobody awaits
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

  /** The snapshot as it is now, all definitions in it with their names. */
  refresh(): Promise<PolicySnapshot> {
    return this.#load('settled')
  }

  /** Has the next question asked live: the caller has just changed what the snapshot holds. */
  invalidate(): void {
    this.#since = Date.now() + 1
  }

  /** Each request asks for itself: the runtime ends a request that waits for what another one reads. */
  async #load(state: State): Promise<PolicySnapshot> {
    const known = this.#cached?.parts
    const at = Date.now()
    const versions = new URLSearchParams(
      Object.entries(known ?? unknown).map(([name, part]): [string, string] => [name, part.version]),
    )
    versions.set(stateParameter, state)
    const response = await this.#objects.control().fetch(`http://control/policy?${versions}`)
    const changes = (await response.json()) as PolicyChanges
    const parts = { ...(known ?? unknown), ...changes }
    const snapshot = {
      namespaces: parts.namespaces.value,
      rbac: parts.rbac.value,
      flowControl: parts.flowControl.value,
      priorityClasses: parts.priorityClasses.value,
      definitions: parts.definitions.value,
    }
    this.#cached = { parts, snapshot, at }
    return snapshot
  }
}

/** By which name the control object is told what State is asked for. */
export const stateParameter = 'state'

const unknown: Parts = {
  namespaces: { version: '', value: {} },
  rbac: { version: '', value: { clusterRoles: {}, roles: {}, bindings: [] } },
  flowControl: { version: '', value: { flowSchemas: [], priorityLevels: [] } },
  priorityClasses: { version: '', value: { byName: {} } },
  definitions: { version: '', value: {} },
}
