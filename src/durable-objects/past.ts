/** Answers forks of this cluster: the objects of a collection as they were at a moment. */

import { isDeploymentKey } from '../clusters/deployment-objects.ts'
import type { PastObject, PastState } from '../clusters/fork-messages.ts'
import { forked } from '../controllers/cluster/forked-secrets.ts'
import { storageVersionsIn } from '../controllers/crd/collection-definition.ts'
import type { Kernel } from '../controllers/kernel.ts'
import { badRequest } from '../meta/errors.ts'
import { selectTimesOf } from '../storage/log-statements.ts'
import { selectDependentPlaces } from '../storage/owner-statements.ts'
import type { Stored } from '../storage/store.ts'

/** The number of objects that are read at once. */
const pageObjects = 500

/** The past of the collections in one Durable Object. */
export class Past {
  readonly #kernel: Kernel

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /**
   * Returns the version of the store at a time, when everything up to it is durable. No change gets that time any more.
   * @param time milliseconds since the epoch
   * @throws ApiError 400 for a time in the future, 410 Expired if history does not reach it
   */
  async versionAt(time: number): Promise<number> {
    const store = this.#kernel.store
    if (!(time <= store.time)) throw badRequest('the time is in the future')
    const version = store.versionAt(time)
    // A write that is not yet durable could be lost after it was read.
    await this.#kernel.ctx.storage.sync()
    return version
  }

  /** Returns the state of collections at a time, besides their objects. */
  async state(prefixes: readonly string[], time: number): Promise<PastState> {
    const { database, ctx } = this.#kernel
    const dependentPlaces = selectDependentPlaces(database.sql).filter(({ prefix }) => prefixes.includes(prefix))
    const [name] = prefixes
    const value = name === undefined || prefixes.length > 1 ? undefined : storageVersionsIn(ctx.storage, name)
    const version = await this.versionAt(time)
    return { version, dependentPlaces, ...(value !== undefined && { storageVersions: { key: '', value } }) }
  }

  /** Returns the object that a key had at a version. @throws ApiError 410 Expired if history does not reach it */
  object(key: string, version: number): PastObject | undefined {
    const found = this.#kernel.store.getAt(key, version)
    return found && this.#described([found])[0]
  }

  /**
   * Streams the objects of collections at a version, a line of JSON for each, in the order of their keys.
   * @param after the last key that the fork has
   * @throws ApiError 410 Expired if history does not reach the version
   */
  objects(prefixes: readonly string[], version: number, after: string): ReadableStream<Uint8Array> {
    const pages = this.#pages(prefixes, version, after)
    const encoder = new TextEncoder()
    // The first page tells whether history reaches the version.
    let next = pages.next()
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (next.done === true) return controller.close()
          controller.enqueue(encoder.encode(next.value.map((object) => `${JSON.stringify(object)}\n`).join('')))
          next = pages.next()
        },
      },
      { highWaterMark: 0 },
    )
  }

  *#pages(prefixes: readonly string[], resourceVersion: number, first: string): Generator<readonly PastObject[]> {
    for (const name of prefixes) {
      const prefix = `${name}/`
      let after = first.startsWith(prefix) ? first : ''
      for (let more = true; more; ) {
        const page = this.#kernel.store.list({ prefix, after, limit: pageObjects, resourceVersion })
        if (page.items.length > 0) yield this.#described(page.items)
        after = page.items.at(-1)?.key ?? after
        more = page.more
      }
    }
  }

  /** Returns the objects that a fork gets, in the form in which it gets them. */
  #described(stored: readonly Stored[]): PastObject[] {
    const objects = stored.filter(({ key }) => !isDeploymentKey(key))
    const times = selectTimesOf(
      this.#kernel.database.sql,
      objects.map(({ resourceVersion }) => resourceVersion),
    )
    return objects.map((object) => {
      const { key, resourceVersion: version, labels, value } = forked(object)
      return { key, version, at: times.get(version) ?? 0, labels, value }
    })
  }
}
