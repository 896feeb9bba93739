/**
 * The state of clusters under test, in the memory of the isolate: a server for tests is one process, and its Worker and Durable
 * Objects share it.
 */
import { clusterOf } from '../clusters/placement.ts'
import type { SettingValues } from '../config/settings.ts'
import { badRequest } from '../meta/errors.ts'
import { type Sources, systemSources } from '../meta/sources.ts'
import { newUid } from '../meta/uid.ts'
import { Faults } from './faults.ts'
import { RecordedRequests } from './recorded-requests.ts'
import { SeededRandom } from './seeded.ts'

/** The clock of a cluster: it goes as fast as time does, or stands still, and a test moves it forward. */
export class TestClock {
  #offset = 0
  #frozenAt: number | undefined

  /** Returns the time in milliseconds since the epoch. */
  readonly now = (): number => this.#frozenAt ?? Date.now() + this.#offset

  get isFrozen(): boolean {
    return this.#frozenAt !== undefined
  }

  /** Sets the time, at which the cluster is made. */
  begin(at: number): void {
    this.#offset = at - Date.now()
    if (this.isFrozen) this.#frozenAt = at
  }

  /** Moves the clock to a later time. @throws ApiError 400: what has happened cannot be in the future */
  advanceTo(at: number): void {
    if (at < this.now()) throw badRequest('the clock of a cluster goes forward only')
    this.begin(at)
  }

  /** Stops the clock at its present time. */
  freeze(): void {
    this.#frozenAt = this.now()
  }

  /** Lets a stopped clock go on from its present time. */
  unfreeze(): void {
    const at = this.now()
    this.#frozenAt = undefined
    this.begin(at)
  }
}

/** The state of one cluster. */
export class ClusterUnderTest {
  readonly clock = new TestClock()
  readonly faults = new Faults()
  readonly requests = new RecordedRequests()
  #random: SeededRandom | undefined

  /** Makes all random values of the cluster follow from the seed. */
  seed(seed: number): void {
    this.#random = new SeededRandom(seed)
  }

  /** Returns the sources of a Durable Object of the cluster. */
  sourcesOf(objectName: string): Sources {
    const { now } = this.clock
    const random = this.#random
    if (random === undefined) return { now, random: Math.random, uid: newUid, versionName: objectName }
    const place = objectName.slice(objectName.indexOf('/') + 1)
    return {
      now,
      random: (base) => random.number(`${place} ${base}`),
      uid: (key) => random.uid(`${place} ${key}`),
      versionName: place,
    }
  }
}

/** All clusters of the isolate. */
export class ClustersUnderTest {
  readonly #clusters = new Map<string, ClusterUnderTest>()

  /** Returns the state of a cluster; a new one if the cluster is unknown. */
  of(cluster: string): ClusterUnderTest {
    const known = this.#clusters.get(cluster)
    if (known !== undefined) return known
    const made = new ClusterUnderTest()
    this.#clusters.set(cluster, made)
    return made
  }

  forget(cluster: string): void {
    this.#clusters.delete(cluster)
  }

  /** Returns the sources of a Durable Object. */
  readonly sourcesOf = (objectName: string): Sources => this.of(clusterOf(objectName)).sourcesOf(objectName)
}

/** The clusters under test of this isolate. */
export const clustersUnderTest = new ClustersUnderTest()

/** Returns the sources of a Durable Object: those of its cluster under test in a server for tests. */
export const sourcesOf = ({ testing }: Pick<SettingValues, 'testing'>, objectName: string): Sources =>
  testing ? clustersUnderTest.sourcesOf(objectName) : systemSources(objectName)
