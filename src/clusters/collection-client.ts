/** The client of one cluster's collections: it finds the Durable Objects by placement. */

import type { Kind, StorageLocation } from '../catalog/kind.ts'
import { ApiError } from '../meta/errors.ts'
import type { RequestFindings } from '../meta/findings.ts'
import { type WorkerLookup, withLookups } from '../meta/lookups.ts'
import { type FailedAttempt, type KnownResults, readMissingLookups } from './lookups.ts'
import { namespaceAt, optionsAt, type PlaceSettings } from './object-place.ts'
import { findingsHeader, type Operation, operationInit } from './operation.ts'
import { controlOf, type Placement, placementOf, placementOfCollection } from './placement.ts'
import { collectionUrl } from './protocol.ts'
import { unwrap } from './wire-error.ts'

/** The maximum number of lookups of one operation: the status of a ResourceClaim may name many drivers. */
const mostLookups = 100
/** The maximum number of JSON characters of their results: the patches of several webhooks, each as large as the object. */
const mostCharacters = 8 * 1024 * 1024

/** The bindings of the Durable Object classes, and where their objects are. */
export interface ObjectBindings extends PlaceSettings {
  readonly COLLECTION: DurableObjectNamespace
  readonly CONTROL: DurableObjectNamespace
}

/** Observes the operations of one request. */
export interface OperationObserver {
  sent(operation: Operation, body: string | undefined): void
  /** @returns the response for the caller */
  answered(operation: Operation, response: Response): Response
}

/** The request for which operations are performed. */
export interface RequestScope {
  /** Headers that collections add to their responses. */
  readonly headers: Readonly<Record<string, string>>
  readonly observer: OperationObserver | undefined
  /** The deadline of the request in milliseconds since the epoch; undefined if it has none. */
  readonly deadline: number | undefined
  /** Takes the findings of an operation. */
  readonly found: (findings: RequestFindings) => void
  /**
   * Resolves a lookup of the Worker. Rejects with the error with which the request fails.
   * @param collections the client of the same request
   */
  readonly resolve: (lookup: WorkerLookup<unknown>, collections: CollectionClient) => Promise<unknown>
}

/** Adds the tag of the CustomResourceDefinition, which the Durable Object of custom resources must know. */
function withDefinition({ definition }: Kind, operation: Operation): Operation {
  return definition === undefined ? operation : { ...operation, definition: definition.tag }
}

/** The release of an attempt's resources: an operation occupies none in the Worker. */
const nothing = (): void => undefined

const isTooMuch = (lookups: KnownResults): boolean =>
  Object.keys(lookups).length > mostLookups || JSON.stringify(lookups).length > mostCharacters

/**
 * The client of one cluster's collections. It keeps the ids of Durable Objects, because each computation of an id costs a hash.
 * @example
 * const client = new CollectionClient(environment, defaultCluster)
 * const target = { group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'default', name: 'web' }
 * const response = await client.perform(kind, { verb: 'get', target, resourceVersion: '' })
 * const pod = await response.json()
 */
export class CollectionClient {
  readonly #bindings: ObjectBindings
  readonly #cluster: string
  readonly #ids: Map<string, DurableObjectId>
  readonly #scope: RequestScope | undefined

  constructor(bindings: ObjectBindings, cluster: string, ids = new Map<string, DurableObjectId>(), scope?: RequestScope) {
    this.#bindings = bindings
    this.#cluster = cluster
    this.#ids = ids
    this.#scope = scope
  }

  /** Returns a client of the same cluster that acts for one request. */
  forRequest(scope: RequestScope): CollectionClient {
    return new CollectionClient(this.#bindings, this.#cluster, this.#ids, scope)
  }

  /** Returns the placement of a resource's objects in the cluster. */
  placementOf(storage: StorageLocation): Placement {
    return placementOf(this.#cluster, storage)
  }

  /** Returns the stub of the cluster's control object. */
  control(): DurableObjectStub {
    return this.get(controlOf(this.#cluster))
  }

  /** Returns the stub of a collection that is not in the control object. */
  collection(group: string, resource: string): DurableObjectStub {
    return this.get(placementOfCollection(this.#cluster, group, resource))
  }

  get(placement: Placement): DurableObjectStub {
    const { CONTROL, COLLECTION } = this.#bindings
    const namespace = namespaceAt(placement.class === 'control' ? CONTROL : COLLECTION, this.#bindings)
    let id = this.#ids.get(placement.name)
    if (id === undefined) {
      id = namespace.idFromName(placement.name)
      this.#ids.set(placement.name, id)
    }
    return namespace.get(id, optionsAt(this.#bindings))
  }

  /**
   * Opens a WebSocket to the Durable Object of the kind's collection.
   * @returns the 101 response with the WebSocket
   * @throws ApiError of the Durable Object
   */
  async openSocket(kind: Kind, operation: Operation): Promise<Response> {
    const stub = this.get(this.placementOf(kind.storage))
    const { headers } = operationInit(this.#withScope(kind, operation))
    return unwrap(await stub.fetch(collectionUrl, { headers: { ...headers, upgrade: 'websocket' } }))
  }

  /**
   * Performs an operation in the Durable Object of the kind's collection.
   * @param body JSON of the object, patch or configuration, if the verb has one
   * @throws ApiError of the Durable Object
   */
  async perform(kind: Kind, operation: Operation, body?: string): Promise<Response> {
    const stub = this.get(this.placementOf(kind.storage))
    const observer = this.#scope?.observer
    observer?.sent(operation, body)
    const response = await this.observing(async () => unwrap(await this.#answer(stub, this.#withScope(kind, operation), body)))
    const answer = this.#withoutFindings(response)
    return observer === undefined ? answer : observer.answered(operation, answer)
  }

  /** Passes on the findings in a header, and returns the response without it: clients must not get it. */
  #withoutFindings(response: Response): Response {
    const findings = response.headers.get(findingsHeader)
    if (findings === null) return response
    this.found(JSON.parse(findings) as RequestFindings)
    const answer = new Response(response.body, response)
    answer.headers.delete(findingsHeader)
    return answer
  }

  /** Performs a part of the request and passes on the findings of an error. */
  async observing<T>(perform: () => Promise<T>): Promise<T> {
    try {
      return await perform()
    } catch (error) {
      if (error instanceof ApiError && error.findings !== undefined) this.#scope?.found(error.findings)
      throw error
    }
  }

  /** Passes on the findings of a part of the request. */
  found(findings: RequestFindings | undefined): void {
    if (findings !== undefined) this.#scope?.found(findings)
  }

  /**
   * Resolves lookups of the Worker in parallel.
   * @returns the results by the lookups' keys
   */
  async lookUp(lookups: readonly WorkerLookup<unknown>[]): Promise<KnownResults> {
    const { resolve } = this.#scope ?? {}
    if (resolve === undefined) throw new Error('lookups of the Worker belong to a request')
    const results = await Promise.all(lookups.map(async (lookup) => [lookup.key, await resolve(lookup, this)] as const))
    return Object.fromEntries(results)
  }

  async #answer(stub: DurableObjectStub, operation: Operation, body: string | undefined): Promise<Response> {
    const response = await stub.fetch(collectionUrl, operationInit(operation, body))
    const failed = await readMissingLookups(response)
    return failed === undefined ? response : this.#repeat(stub, operation, body, failed)
  }

  /** Sends an operation again each time its missing lookups have been resolved. */
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

  #withScope(kind: Kind, sent: Operation): Operation {
    const operation = withDefinition(kind, sent)
    if (this.#scope === undefined) return operation
    const { headers: answerHeaders, deadline } = this.#scope
    return deadline === undefined ? { ...operation, answerHeaders } : { ...operation, answerHeaders, deadline }
  }
}
