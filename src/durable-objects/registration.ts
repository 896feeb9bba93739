/**
 * Registers a collection with the control object before it holds the first object of a namespace. So the deletion of a namespace
 * asks only the collections that may hold something in it, and no collection begins to hold something in a namespace that is gone.
 */
import type { NamespacePhase } from '../clusters/namespace-facts.ts'
import type { CollectionRegistration } from '../clusters/registration-messages.ts'
import type { LookupResults } from '../meta/lookups.ts'

const registeredKey = 'registered'
const namespacePrefix = 'registered/'

/** The maximum number of namespaces that are remembered in memory. */
const most = 10_000

/** A collection, with a version in which it is served. */
type RegisteredCollection = Omit<CollectionRegistration, 'namespace' | 'isFirst'>

/** Sends a registration. Resolves to the phase of the namespace when it is stored; none is stored unless that is Active. */
type SendRegistration = (registration: CollectionRegistration) => Promise<NamespacePhase | null>

/** The registrations of one collection. One is in force until the control object revokes it, before it empties the namespace. */
export class Registrations {
  readonly #kv: SyncKvStorage
  readonly #send: SendRegistration
  readonly #registered = new Set<string>()
  readonly #pending = new Map<string, Promise<NamespacePhase | null>>()
  /** The number of revocations: a create that has asked before one asks again. */
  #revocations = 0

  constructor({ kv }: Pick<DurableObjectStorage, 'kv'>, send: SendRegistration) {
    this.#kv = kv
    this.#send = send
  }

  /**
   * Returns the phase of a namespace, within the commit that stores an object in it; null if the namespace does not exist.
   * @param namespace '' for a cluster-scoped object
   * @throws MissingLookups unless the collection is registered
   */
  phaseOf(collection: RegisteredCollection, namespace: string, lookups: LookupResults): NamespacePhase | null {
    if (this.#has(namespace)) return 'Active'
    const resolve = async () => ({ result: await this.#register(collection, namespace) })
    return lookups.get({ where: 'object', key: `registration ${this.#revocations} ${namespace}`, resolve })
  }

  /** Revokes the registration for a namespace that is being deleted: a later create has to ask again. */
  revoke(namespace: string): void {
    this.#revocations++
    this.#registered.delete(namespace)
    this.#pending.delete(namespace)
    this.#kv.delete(namespacePrefix + namespace)
  }

  /** Whether the collection may hold objects in a namespace. */
  #has(namespace: string): boolean {
    if (this.#registered.has(namespace)) return true
    if (this.#kv.get<boolean>(namespacePrefix + namespace) !== true) return false
    this.#remember(namespace)
    return true
  }

  /** Registers the collection for a namespace. Concurrent callers share one registration. */
  #register(collection: RegisteredCollection, namespace: string): Promise<NamespacePhase | null> {
    const pending = this.#pending.get(namespace)
    if (pending !== undefined) return pending
    const asked = this.#ask(collection, namespace, () => this.#pending.get(namespace) === asked)
    this.#pending.set(namespace, asked)
    return asked
  }

  /** @param isInForce whether no revocation has overtaken the answer: then it is recorded, and otherwise the create asks again */
  async #ask(collection: RegisteredCollection, namespace: string, isInForce: () => boolean): Promise<NamespacePhase | null> {
    try {
      // Earlier releases have stored `true`, and registered no namespaces.
      const isFirst = this.#kv.get(registeredKey) === undefined
      const phase = await this.#send({ ...collection, namespace, isFirst })
      if (phase !== 'Active' || !isInForce()) return phase
      if (isFirst) this.#kv.put(registeredKey, 'with namespaces')
      this.#kv.put(namespacePrefix + namespace, true)
      this.#remember(namespace)
      return phase
    } finally {
      if (isInForce()) this.#pending.delete(namespace)
    }
  }

  #remember(namespace: string): void {
    if (this.#registered.size >= most) this.#registered.clear()
    this.#registered.add(namespace)
  }
}
