/**
 * The policy snapshot: what decides about requests without being their object, kept in the Worker for at most a second.
 * A positive answer may be that old; before a negative one is given, the control object is asked again.
 */

import type { Objects } from './objects.ts'
import { controlOf } from './placement.ts'

/** The state of a namespace as far as others' writes depend on it. */
export type NamespacePhase = 'Active' | 'Terminating'

/** What the control object answers. */
export interface PolicySnapshot {
  /** The control object's resourceVersion. */
  readonly version: number
  readonly namespaces: Readonly<Record<string, NamespacePhase>>
}

const maximumAge = 1000

interface Cached {
  readonly snapshot: PolicySnapshot
  readonly at: number
}

/** One cluster's snapshot in this isolate. */
export class PolicyCache {
  readonly #objects: Objects
  readonly #cluster: string
  #cached: Cached | undefined

  constructor(objects: Objects, cluster: string) {
    this.#objects = objects
    this.#cluster = cluster
  }

  /** The phase of a namespace; undefined, after a live question, where there is none. */
  async namespacePhase(name: string): Promise<NamespacePhase | undefined> {
    const cached = this.#cached
    if (cached !== undefined && Date.now() - cached.at < maximumAge) {
      const phase = phaseIn(cached.snapshot, name)
      if (phase === 'Active') return phase
    }
    return phaseIn(await this.#load(), name)
  }

  /** Each request asks for itself: the runtime ends a request that waits for what another one reads. */
  async #load(): Promise<PolicySnapshot> {
    const known = this.#cached?.snapshot
    const at = Date.now()
    const url = `http://control/policy?version=${known?.version ?? 0}`
    const response = await this.#objects.get(controlOf(this.#cluster)).fetch(url)
    const snapshot = response.status === 304 && known !== undefined ? known : ((await response.json()) as PolicySnapshot)
    this.#cached = { snapshot, at }
    return snapshot
  }
}

const phaseIn = (snapshot: PolicySnapshot, name: string): NamespacePhase | undefined =>
  Object.hasOwn(snapshot.namespaces, name) ? snapshot.namespaces[name] : undefined
