/**
 * Registers a collection with the control object before it holds the first object of a namespace, so that the deletion of a
 * namespace asks only the collections that may hold something in it.
 */
import type { CollectionRegistration } from '../controllers/namespace/collections.ts'

const registeredKey = 'registered'
const namespacePrefix = 'registered/'

/** The maximum number of namespaces that are remembered in memory. */
const most = 10_000

/** The registrations of one collection. */
export class Registrations {
  readonly #kv: SyncKvStorage
  readonly #send: (registration: CollectionRegistration) => Promise<void>
  readonly #known = new Set<string>()
  readonly #pending = new Map<string, Promise<void>>()

  /** @param send resolves when the control object has stored the registration */
  constructor({ kv }: Pick<DurableObjectStorage, 'kv'>, send: (registration: CollectionRegistration) => Promise<void>) {
    this.#kv = kv
    this.#send = send
  }

  /** Whether the control object knows that the collection may hold objects in a namespace; '' for cluster-scoped objects. */
  has(namespace: string): boolean {
    if (this.#known.has(namespace)) return true
    if (this.#kv.get<boolean>(namespacePrefix + namespace) !== true) return false
    this.#remember(namespace)
    return true
  }

  /** Registers the collection for a namespace. Concurrent callers share one registration. */
  register(collection: Omit<CollectionRegistration, 'namespace' | 'isFirst'>, namespace: string): Promise<void> {
    const pending = this.#pending.get(namespace) ?? this.#register({ ...collection, namespace }, namespace)
    this.#pending.set(namespace, pending)
    return pending
  }

  /** Forgets the registration for a namespace whose objects are about to be deleted: a later write registers it again. */
  forget(namespace: string): void {
    this.#known.delete(namespace)
    this.#kv.delete(namespacePrefix + namespace)
  }

  async #register(registration: Omit<CollectionRegistration, 'isFirst'>, namespace: string): Promise<void> {
    try {
      // Earlier releases have stored `true`, and registered no namespaces.
      const isFirst = this.#kv.get(registeredKey) === undefined
      await this.#send({ ...registration, isFirst })
      if (isFirst) this.#kv.put(registeredKey, 'with namespaces')
      this.#kv.put(namespacePrefix + namespace, true)
      this.#remember(namespace)
    } finally {
      this.#pending.delete(namespace)
    }
  }

  #remember(namespace: string): void {
    if (this.#known.size >= most) this.#known.clear()
    this.#known.add(namespace)
  }
}
