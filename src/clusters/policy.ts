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

/** How old a positive answer may be, in milliseconds: so long, a Worker may act on what is no longer so. */
export const maximumAge = 1000

interface Cached {
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
  #asking: Promise<PolicySnapshot> | undefined
  #next: Promise<PolicySnapshot> | undefined

  constructor(objects: Objects, cluster: string) {
    this.#objects = objects
    this.#cluster = cluster
  }

  /** The phase of a namespace; undefined, after a live question, where there is none. */
  async namespacePhase(name: string): Promise<NamespacePhase | undefined> {
    const cached = this.#cached
    if (cached !== undefined && cached.at >= this.#since && Date.now() - cached.at < maximumAge) {
      const phase = phaseIn(cached.snapshot, name)
      if (phase === 'Active') return phase
    }
    return phaseIn(await this.#ask(), name)
  }

  /** Has the next question asked live: the caller has just changed what the snapshot holds. */
  forget(): void {
    this.#since = Date.now() + 1
  }

  /**
   * One question at a time. Whoever asks while one is under way waits for the next one, which begins after they asked
   * and which they share: the answer is never older than the question.
   */
  #ask(): Promise<PolicySnapshot> {
    if (this.#asking === undefined) {
      this.#asking = this.#load().finally(() => {
        this.#asking = undefined
      })
      return this.#asking
    }
    this.#next ??= this.#asking
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.#ask()
      })
    return this.#next
  }

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
