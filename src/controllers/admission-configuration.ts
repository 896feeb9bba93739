/** The admission configuration in the Durable Object of a collection. The control object of the cluster makes it. */

import { type AdmissionConfiguration, noAdmissionObjects, shared } from '../clusters/admission-configuration.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import { controlProtocol } from '../clusters/control-protocol.ts'
import { send } from '../clusters/message.ts'

/** The number of remembered tags above which they are forgotten. */
const mostTags = 1000

/** Keeps the newest admission configuration that a Worker has named. */
export class AdmissionConfigurations {
  readonly #collections: CollectionClient
  #current: AdmissionConfiguration = noAdmissionObjects
  /** The tags of the current configuration and of older ones: Workers whose snapshot is up to a second old send them. */
  readonly #known = new Set<string>()

  constructor(collections: CollectionClient) {
    this.#collections = collections
  }

  /** Returns the configuration with this tag, or a newer one. */
  get(tag: string): AdmissionConfiguration | Promise<AdmissionConfiguration> {
    return this.#known.has(tag) ? this.#current : this.#load(tag)
  }

  /** Returns the present configuration. */
  async current(): Promise<AdmissionConfiguration> {
    return this.#load()
  }

  async #load(tag?: string): Promise<AdmissionConfiguration> {
    this.#current = shared(await send(this.#collections.control(), controlProtocol.admission))
    if (this.#known.size > mostTags) this.#known.clear()
    this.#known.add(this.#current.tag)
    if (tag !== undefined) this.#known.add(tag)
    return this.#current
  }
}
