/** A store as it was at one of its versions: for reads only. */
import { ApiError } from '../meta/errors.ts'
import type { Feed, HeadPage, JoinedPage, JoinedValues, Page, PageRequest, Store, Stored, VersionPage } from './store.ts'

const readOnly = (): ApiError => new ApiError(405, 'MethodNotAllowed', 'the past of a cluster can only be read')

/** A view of a store at a version that its history reaches. It has that version for good: it has no later changes. */
export class PastStore implements Store {
  readonly resourceVersion: number
  readonly #store: Store
  readonly #get: (key: string) => Stored | undefined

  /** @param get returns the object that a key had at the version */
  constructor(store: Store, resourceVersion: number, get: (key: string) => Stored | undefined) {
    this.#store = store
    this.resourceVersion = resourceVersion
    this.#get = get
  }

  get compactedResourceVersion(): number {
    return this.#store.compactedResourceVersion
  }

  get(key: string): Stored | undefined {
    return this.#get(key)
  }

  list(request: PageRequest): Page {
    return this.#store.list(request)
  }

  listHeads(request: PageRequest): HeadPage {
    return this.#store.listHeads(request)
  }

  objectsOf(resourceVersions: readonly number[]): readonly Stored[] {
    return this.#store.objectsOf(resourceVersions)
  }

  joinedOf(resourceVersions: readonly number[], beginning: string): Uint8Array {
    return this.#store.joinedOf(resourceVersions, beginning)
  }

  listJoined(request: PageRequest, beginning?: string): JoinedPage {
    return this.#store.listJoined(request, beginning)
  }

  listVersions(request: PageRequest): VersionPage {
    return this.#store.listVersions(request)
  }

  valuesOf(resourceVersions: readonly number[], bytes?: number): Iterable<JoinedValues> {
    return this.#store.valuesOf(resourceVersions, bytes)
  }

  countAfter(prefix: string, after: string, resourceVersion: number): number {
    return this.#store.countAfter(prefix, after, resourceVersion)
  }

  write(): Promise<never> {
    return Promise.reject(readOnly())
  }

  watch(): ReadableStream<Uint8Array> {
    throw readOnly()
  }

  feed(): Feed {
    throw readOnly()
  }

  /** Nothing ever changes. */
  onDurable(): () => void {
    return () => undefined
  }

  compact(): boolean {
    return false
  }
}
