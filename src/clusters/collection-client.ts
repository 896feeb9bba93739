/** The client of one cluster's collections: it finds the Durable Objects by placement. */

import type { Kind, StorageLocation } from '../catalog/kind.ts'
import { ApiError } from '../meta/errors.ts'
import type { RequestFindings } from '../meta/findings.ts'
import { type WorkerLookup, withLookups } from '../meta/lookups.ts'
import { controlProtocol } from './control-protocol.ts'
import { type FailedAttempt, type KnownResults, readMissingLookups } from './lookups.ts'
import { send } from './message.ts'
import { isApart } from './object-place.ts'
import { type KnownCluster, type ObjectBindings, stubOf } from './object-stubs.ts'
import { objectInMemory } from './objects-in-memory.ts'
import { findingsHeader, type Operation, operationInit } from './operation.ts'
import {
  type ClusterPlacement,
  controlOf,
  locationHeader,
  type Placement,
  placementIn,
  placementOf,
  placementOfBackend,
  placementOfCollection,
} from './placement.ts'
import type { Parts } from './policy-snapshot.ts'
import { clusterUidHeader, collectionUrl, type InnerStub } from './protocol.ts'
import type { ReadAhead } from './read-ahead.ts'
import { unwrap } from './wire-error.ts'

/** The maximum number of lookups of one operation: the status of a ResourceClaim may name many drivers. */
const mostLookups = 100
/** The maximum number of JSON characters of their results: the patches of several webhooks, each as large as the object. */
const mostCharacters = 8 * 1024 * 1024

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
  /** The release that the cluster emulates, as operations name it; absent for the newest one. */
  readonly emulation?: string | undefined
  /** The time whose state is read, in milliseconds since the epoch; absent for the present. */
  readonly time?: number | undefined
  /** The read that may have been sent already. */
  readonly readAhead?: ReadAhead | undefined
  /** Called before the request waits for a Durable Object. */
  readonly waits?: (() => void) | undefined
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
 * The client of one cluster's collections. It learns the placement of the cluster from the control object.
 * @example
 * const client = new CollectionClient(environment, defaultCluster)
 * const target = { group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'default', name: 'web' }
 * const response = await client.perform(kind, { verb: 'get', target, resourceVersion: '' })
 * const pod = await response.json()
 */
export class CollectionClient {
  readonly #bindings: ObjectBindings
  readonly #cluster: KnownCluster
  readonly #scope: RequestScope | undefined

  /** @param cluster its name, or what is known about it */
  constructor(bindings: ObjectBindings, cluster: string | KnownCluster, scope?: RequestScope) {
    this.#bindings = bindings
    this.#cluster = typeof cluster === 'string' ? { name: cluster, placement: undefined, ids: new Map() } : cluster
    this.#scope = scope
  }

  /** Returns a client of the same cluster that acts for one request. */
  forRequest(scope: RequestScope): CollectionClient {
    return new CollectionClient(this.#bindings, this.#cluster, scope)
  }

  /** Takes the facts about the cluster from a response of its control object. They do not change as long as the cluster exists. */
  learn({ headers }: Response): void {
    this.#cluster.placement = placementIn(headers)
    const [uid, location] = [headers.get(clusterUidHeader), headers.get(locationHeader)]
    if (uid !== null) this.#cluster.uid ??= uid
    if (location !== null) this.#cluster.location = location
    this.#cluster.isLocated = true
  }

  /** Whether another cluster with the same name has been found: then this client is of no use any more. */
  get isReplaced(): boolean {
    return this.#cluster.isReplaced === true
  }

  /** Returns the stub of the cluster's control object. */
  control(): InnerStub {
    return this.get(controlOf(this.#cluster.name))
  }

  /** Returns the stub of a collection that has a Durable Object of its own. */
  collection(group: string, resource: string): InnerStub {
    return this.get(placementOfCollection(this.#cluster.name, group, resource))
  }

  /** Returns the stub of the object that keeps connections to the server of another API's group version. */
  backend(group: string, version: string): InnerStub {
    return this.get(placementOfBackend(this.#cluster.name, group, version))
  }

  /** The placement of the cluster; undefined until the control object has told it. */
  get placement(): ClusterPlacement | undefined {
    return this.#cluster.placement
  }

  /** The name of the cluster. */
  get cluster(): string {
    return this.#cluster.name
  }

  /** Returns the stub of an object of the cluster. */
  get(placement: Placement): InnerStub {
    return stubOf(this.#bindings, this.#cluster, placement)
  }

  /** Whether the objects of the cluster have other addresses than they would have in the jurisdiction of the deployment. */
  get isApart(): boolean {
    return isApart(this.#bindings.CONTROL, this.#cluster.jurisdiction, this.#bindings)
  }

  /** Returns the placement of a resource's objects. */
  async placementOf(storage: StorageLocation): Promise<Placement> {
    // Nearly always the policy snapshot has come before, and with it the placement of the cluster.
    if (this.#cluster.placement === undefined) await this.#learnFromControl()
    return placementOf(this.#cluster.name, this.#cluster.placement ?? 'collections', storage)
  }

  async #learnFromControl(): Promise<void> {
    const response = await send(this.control(), controlProtocol.health)
    this.learn(response)
    await response.body?.cancel()
  }

  /** Returns the stub of the Durable Object with a kind's objects. */
  async #holderOf({ storage }: Kind): Promise<InnerStub> {
    return this.get(await this.placementOf(storage))
  }

  /**
   * Opens a WebSocket to the Durable Object of the kind's collection.
   * @returns the 101 response with the WebSocket
   * @throws ApiError of the Durable Object
   */
  async openSocket(kind: Kind, operation: Operation): Promise<Response> {
    const stub = await this.#holderOf(kind)
    const { headers } = operationInit(this.#withScope(kind, operation))
    return unwrap(await stub.fetch(collectionUrl, { headers: { ...headers, upgrade: 'websocket' } }))
  }

  /**
   * Performs an operation in the Durable Object of the kind's collection.
   * @param body JSON of the object, patch or configuration, if the verb has one
   * @throws ApiError of the Durable Object
   */
  async perform(kind: Kind, operation: Operation, body?: string): Promise<Response> {
    const observer = this.#scope?.observer
    observer?.sent(operation, body)
    const answer = this.#answerFromMemory(kind, operation) ?? (await this.#request(kind, operation, body))
    return observer === undefined ? answer : observer.answered(operation, answer)
  }

  /** Performs an operation by a request to the Durable Object. */
  async #request(kind: Kind, operation: Operation, body: string | undefined): Promise<Response> {
    this.#scope?.waits?.()
    const stub = await this.#holderOf(kind)
    const response = await this.observing(async () => {
      const early = this.#takeReadAhead(operation)
      return unwrap((early && (await early)) ?? (await this.#answer(stub, this.#withScope(kind, operation), body)))
    })
    return this.#withoutFindings(response)
  }

  /** Performs a read without a request, if the Durable Object is in this isolate and has the object in memory. */
  #answerFromMemory(kind: Kind, operation: Operation): Response | undefined {
    const { name, placement, uid, caller } = this.#cluster
    if (operation.verb !== 'get' || this.#bindings.READS !== 'memory' || placement === undefined || caller !== undefined)
      return undefined
    const object = objectInMemory(placementOf(name, placement, kind.storage).name)
    return object?.answerFromMemory(this.#withScope(kind, operation), uid)
  }

  /** Whether the control object is in this isolate, and has no other policy snapshot; false if only a request can tell. */
  confirmsPolicy(parts: Parts): boolean {
    const { name, uid, caller } = this.#cluster
    if (this.#bindings.READS !== 'memory' || caller !== undefined) return false
    return objectInMemory(controlOf(name).name)?.confirmsPolicy?.(parts, uid) === true
  }

  /**
   * Performs an operation whose answer nobody needs. An answer that is not read could keep the Durable Object in memory, which is
   * billed.
   * @throws ApiError of the Durable Object
   */
  async performWithoutAnswer(kind: Kind, operation: Operation, body?: string): Promise<void> {
    const answer = await this.perform(kind, operation, body)
    // The operation is done: nobody waits until the rest of the answer has been dropped.
    answer.body?.cancel().catch(() => undefined)
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

  /** Returns the lookups that are worth resolving before an operation: those that its object cannot resolve itself. */
  ofWorker(expected: readonly WorkerLookup<unknown>[]): readonly WorkerLookup<unknown>[] {
    return this.#cluster.placement === 'one-object' ? expected.filter(({ isFact }) => isFact !== true) : expected
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

  /** Returns the response to a read that was sent with the renewal of the policy. */
  #takeReadAhead(operation: Operation): Promise<Response | undefined> | undefined {
    const { readAhead, headers = {}, emulation } = this.#scope ?? {}
    // It was sent before the release was known, and its objects are those of the newest one, whose name may be left out.
    if (emulation !== undefined && !emulation.startsWith(' ')) return undefined
    return readAhead?.take(operation).then((response) => {
      for (const [name, value] of Object.entries(headers)) response?.headers.set(name, value)
      return response
    })
  }

  async #answer(stub: InnerStub, operation: Operation, body: string | undefined): Promise<Response> {
    const response = await stub.fetch(collectionUrl, operationInit(operation, body))
    const failed = await readMissingLookups(response)
    return failed === undefined ? response : this.#repeat(stub, operation, body, failed)
  }

  /** Sends an operation again each time its missing lookups have been resolved. */
  #repeat(stub: InnerStub, operation: Operation, body: string | undefined, first: FailedAttempt): Promise<Response> {
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
    const { headers: answerHeaders, deadline, time, emulation } = this.#scope
    const scoped = deadline === undefined ? { ...operation, answerHeaders } : { ...operation, answerHeaders, deadline }
    const released = emulation === undefined ? scoped : { ...scoped, emulation }
    return time === undefined ? released : { ...released, time }
  }
}
