/** The Durable Objects of one cluster, found by placement. */

import type { Kind, StorageLocation } from '../catalog/kind.ts'
import { type WorkerLookup, withLookups } from '../meta/lookups.ts'
import { type FailedAttempt, type KnownResults, readMissingLookups } from './lookups.ts'
import { collectionUrl, type Operation, operationInit, unwrap } from './operation.ts'
import { controlOf, type Placement, placementOf, placementOfCollection } from './placement.ts'

/** How many lookups one operation may need of the Worker: a claim's status may tell of many drivers. */
const mostLookups = 100
/** How many characters of JSON their results may have. */
const mostCharacters = 1024 * 1024

/** The bindings under which a deployment has its classes. */
export interface ObjectBindings {
  readonly COLLECTION: DurableObjectNamespace
  readonly CONTROL: DurableObjectNamespace
}

/** Sees what is asked of collections on behalf of one request. */
export interface OperationObserver {
  sent(operation: Operation, body: string | undefined): void
  /** @returns the response that goes on to the caller */
  answered(operation: Operation, response: Response): Response
}

/** The request for which collections are asked. */
export interface RequestScope {
  /** Headers that the answers are to have. */
  readonly headers: Readonly<Record<string, string>>
  readonly observer: OperationObserver | undefined
  /** When the request's time is over, in milliseconds since the epoch; undefined if it has no end. */
  readonly deadline: number | undefined
  /**
   * Resolves a lookup of the Worker. Rejects with the error that the request is then refused with.
   * @param collections the client of the same request
   */
  readonly resolve: (lookup: WorkerLookup<unknown>, collections: CollectionClient) => Promise<unknown>
}

/** The object that holds custom resources has to know their definition. */
function withDefinition({ definition }: Kind, operation: Operation): Operation {
  return definition === undefined ? operation : { ...operation, definition: definition.tag }
}

/** Nothing is held for an operation in the Worker. */
const nothing = (): void => undefined

const isTooMuch = (lookups: KnownResults): boolean =>
  Object.keys(lookups).length > mostLookups || JSON.stringify(lookups).length > mostCharacters

/** Finds the stubs of one cluster and sends operations. Ids are remembered: making one from a name costs a hash. */
export class CollectionClient {
  readonly #bindings: ObjectBindings
  readonly #cluster: string
  readonly #ids: Map<string, DurableObjectId>
  readonly #onBehalf: RequestScope | undefined

  constructor(bindings: ObjectBindings, cluster: string, ids = new Map<string, DurableObjectId>(), onBehalf?: RequestScope) {
    this.#bindings = bindings
    this.#cluster = cluster
    this.#ids = ids
    this.#onBehalf = onBehalf
  }

  /** The same objects, asked on behalf of one request. */
  forRequest(of: RequestScope): CollectionClient {
    return new CollectionClient(this.#bindings, this.#cluster, this.#ids, of)
  }

  /** The placement of a resource's objects in the cluster. */
  placementOf(storage: StorageLocation): Placement {
    return placementOf(this.#cluster, storage)
  }

  /** The cluster's control object. */
  control(): DurableObjectStub {
    return this.get(controlOf(this.#cluster))
  }

  /** The object of a collection that the control object does not hold. */
  collection(group: string, resource: string): DurableObjectStub {
    return this.get(placementOfCollection(this.#cluster, group, resource))
  }

  get(placement: Placement): DurableObjectStub {
    const namespace = placement.class === 'control' ? this.#bindings.CONTROL : this.#bindings.COLLECTION
    let id = this.#ids.get(placement.name)
    if (id === undefined) {
      id = namespace.idFromName(placement.name)
      this.#ids.set(placement.name, id)
    }
    return namespace.get(id)
  }

  /**
   * Opens a socket to the object that holds the kind's collection.
   * @returns the 101 with the socket
   * @throws the ApiError that the object answers
   */
  async openSocket(kind: Kind, operation: Operation): Promise<Response> {
    const stub = this.get(this.placementOf(kind.storage))
    const { headers } = operationInit(this.#carried(kind, operation))
    return unwrap(await stub.fetch(collectionUrl, { headers: { ...headers, upgrade: 'websocket' } }))
  }

  /**
   * Performs an operation in the Durable Object that holds the kind's collection.
   * @throws the ApiError that the object answers
   */
  async perform(kind: Kind, operation: Operation, body?: string): Promise<Response> {
    const stub = this.get(this.placementOf(kind.storage))
    const observer = this.#onBehalf?.observer
    observer?.sent(operation, body)
    const answer = await unwrap(await this.#answer(stub, this.#carried(kind, operation), body))
    return observer === undefined ? answer : observer.answered(operation, answer)
  }

  /**
   * Resolves lookups of the Worker, together.
   * @returns the results by the lookups' keys
   */
  async lookUp(lookups: readonly WorkerLookup<unknown>[]): Promise<KnownResults> {
    const { resolve } = this.#onBehalf ?? {}
    if (resolve === undefined) throw new Error('lookups of the Worker belong to a request')
    const results = await Promise.all(lookups.map(async (lookup) => [lookup.key, await resolve(lookup, this)] as const))
    return Object.fromEntries(results)
  }

  async #answer(stub: DurableObjectStub, operation: Operation, body: string | undefined): Promise<Response> {
    const response = await stub.fetch(collectionUrl, operationInit(operation, body))
    const failed = await readMissingLookups(response)
    return failed === undefined ? response : this.#repeat(stub, operation, body, failed)
  }

  /** Sends an operation again each time that its missing lookups have been resolved. */
  #repeat(stub: DurableObjectStub, operation: Operation, body: string | undefined, first: FailedAttempt): Promise<Response> {
    let sent = operation
    let { state } = first
    const attempt = async (): Promise<Response> => {
      const response = await stub.fetch(collectionUrl, operationInit(sent, body))
      const failed = await readMissingLookups(response)
      if (failed === undefined) return response
      state = failed.state
      throw failed.missing
    }
    return withLookups(attempt, {
      first: first.missing,
      resolve: async ({ ofWorker }) => {
        const lookups = { ...sent.lookups, ...(await this.lookUp(ofWorker)) }
        if (isTooMuch(lookups)) throw new Error('the lookups of an operation have no end')
        sent = { ...sent, lookups, attempt: state }
        return nothing
      },
      exhausted: () => new Error('an operation needs one lookup after another'),
      deadline: operation.deadline,
    })
  }

  #carried(kind: Kind, asked: Operation): Operation {
    const operation = withDefinition(kind, asked)
    if (this.#onBehalf === undefined) return operation
    const { headers: answerHeaders, deadline } = this.#onBehalf
    return deadline === undefined ? { ...operation, answerHeaders } : { ...operation, answerHeaders, deadline }
  }
}
