/**
 * The policy snapshot: what decides about requests without being their object, kept in the Worker for at most a second.
 * A positive answer may be that old; before a negative one is given, the control object is asked again.
 */
import type { RbacObjects } from '../catalog/shapes/rbac.ts'
import type { Objects } from './objects.ts'
import { controlOf } from './placement.ts'

/** The state of a namespace as far as others' writes depend on it. */
export type NamespacePhase = 'Active' | 'Terminating'

/** One part of the snapshot, and the version by which the control object knows whether it has changed. */
interface Part<Value> {
  readonly version: string
  readonly value: Value
}

interface Parts {
  readonly namespaces: Part<Readonly<Record<string, NamespacePhase>>>
  readonly rbac: Part<RbacObjects>
}

/** What the control object answers: the parts that the asker does not have in their current versions. */
export type PolicyChanges = Partial<Parts>

/** A consistent state of all that decides about requests without being their object. */
export interface PolicySnapshot {
  readonly namespaces: Readonly<Record<string, NamespacePhase>>
  readonly rbac: RbacObjects
}

/** How old a positive answer may be, in milliseconds: so long, a Worker may act on what is no longer so. */
export const maximumAge = 1000

interface Cached {
  readonly parts: Parts
  readonly snapshot: PolicySnapshot
  readonly at: number
}

/** One cluster's snapshot in this isolate. */
export class PolicyCache {
  readonly #objects: Objects
  readonly #cluster: string
  #cached: Cached | undefined
  /** What was asked before this time counts for nothing. */
  #since = 0

  constructor(objects: Objects, cluster: string) {
    this.#objects = objects
    this.#cluster = cluster
  }

  /** What follows from the snapshot: from the one at hand where that is positive, else from one that is asked for now. */
  async answer<T>(from: (snapshot: PolicySnapshot) => T, isPositive: (answer: T) => boolean): Promise<T> {
    const cached = this.#cached
    if (cached !== undefined && cached.at >= this.#since && Date.now() - cached.at < maximumAge) {
      const answer = from(cached.snapshot)
      if (isPositive(answer)) return answer
    }
    return from(await this.#load())
  }

  /** The phase of a namespace; undefined where there is none. */
  namespacePhase(name: string): Promise<NamespacePhase | undefined> {
    return this.answer(
      ({ namespaces }) => (Object.hasOwn(namespaces, name) ? namespaces[name] : undefined),
      (phase) => phase === 'Active',
    )
  }

  /** Has the next question asked live: the caller has just changed what the snapshot holds. */
  forget(): void {
    this.#since = Date.now() + 1
  }

  /** Each request asks for itself: the runtime ends a request that waits for what another one reads. */
  async #load(): Promise<PolicySnapshot> {
    const known = this.#cached?.parts
    const at = Date.now()
    const versions = new URLSearchParams({ namespaces: known?.namespaces.version ?? '', rbac: known?.rbac.version ?? '' })
    const response = await this.#objects.get(controlOf(this.#cluster)).fetch(`http://control/policy?${versions}`)
    const changes = (await response.json()) as PolicyChanges
    const parts = { ...(known ?? unknown), ...changes }
    const snapshot = { namespaces: parts.namespaces.value, rbac: parts.rbac.value }
    this.#cached = { parts, snapshot, at }
    return snapshot
  }
}

const unknown: Parts = {
  namespaces: { version: '', value: {} },
  rbac: { version: '', value: { clusterRoles: {}, roles: {}, bindings: [] } },
}
