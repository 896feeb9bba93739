/**
 * Records that all bootstrap objects of a Durable Object are as this release has left them. A control object has some 180 of
 * them; without the record each start would read them all. They depend on the release and on the resources that are served. A controller that
 * was not enabled then has to look for the work that it has missed: the record is of the enabled ones too.
 */
import { release } from '../../config/release.ts'

export const markerKey = 'bootstrapped'

/** The record of one Durable Object. */
export class BootstrapMarker {
  readonly #kv: SyncKvStorage
  readonly #isKey: (key: string) => boolean
  readonly #state: string

  /**
   * @param isKey whether a key is that of a bootstrap object
   * @param controllers the enabled ones
   * @param resources the settings that decide which resources are served
   */
  constructor(
    { kv }: Pick<DurableObjectStorage, 'kv'>,
    isKey: (key: string) => boolean,
    { controllers, resources }: { readonly controllers: ReadonlySet<string>; readonly resources: string },
  ) {
    this.#kv = kv
    this.#isKey = isKey
    this.#state = [release, ...[...controllers].sort(), resources].join(' ').trim()
  }

  /** Whether this release has bootstrapped the object with these controllers, and no bootstrap object has changed since. */
  get isSet(): boolean {
    return this.#kv.get<string>(markerKey) === this.#state
  }

  set(): void {
    this.#kv.put(markerKey, this.#state)
  }

  /** Removes the record if bootstrap objects have changed. Call it in the turn of the commit. */
  changed(keys: readonly string[]): void {
    if (keys.length === 0 || keys.some(this.#isKey)) this.#kv.delete(markerKey)
  }
}
