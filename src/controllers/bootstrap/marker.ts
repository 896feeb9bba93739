/**
 * Records that all bootstrap objects of a Durable Object are as this release has left them. A control object has some 180 of
 * them; without the record each start would read them all. They depend on the release alone, not on settings.
 */
import { release } from '../../config/release.ts'

export const markerKey = 'bootstrapped'

/** The record of one Durable Object. */
export class BootstrapMarker {
  readonly #kv: SyncKvStorage
  readonly #isKey: (key: string) => boolean

  /** @param isKey whether a key is that of a bootstrap object */
  constructor({ kv }: Pick<DurableObjectStorage, 'kv'>, isKey: (key: string) => boolean) {
    this.#kv = kv
    this.#isKey = isKey
  }

  /** Whether this release has bootstrapped the object, and no bootstrap object has changed since. */
  get isSet(): boolean {
    return this.#kv.get<string>(markerKey) === release
  }

  set(): void {
    this.#kv.put(markerKey, release)
  }

  /** Removes the record if bootstrap objects have changed. Call it in the turn of the commit. */
  changed(keys: readonly string[]): void {
    if (keys.length === 0 || keys.some(this.#isKey)) this.#kv.delete(markerKey)
  }
}
