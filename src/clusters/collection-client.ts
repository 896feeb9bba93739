/** The Durable Objects of one cluster, found by placement. */

import type { Kind, StorageLocation } from '../catalog/kind.ts'
import { collectionUrl, type Operation, operationInit, unwrap } from './operation.ts'
import { controlOf, type Placement, placementOf, placementOfCollection } from './placement.ts'
import { type Question, questionOf } from './questions.ts'

/** How much one write may ask: a claim's status may tell of many drivers. */
const mostQuestions = 100

/** The bindings under which a deployment has its classes. */
export interface ObjectBindings {
  readonly COLLECTION: DurableObjectNamespace
  readonly CONTROL: DurableObjectNamespace
}

/** Sees what is asked of collections on behalf of one request. */
export interface OperationObserver {
  sent(operation: Operation, body: string | undefined): void
  /** @returns the answer that goes on to whoever asked */
  answered(operation: Operation, response: Response): Response
}

/** On whose behalf collections are asked. */
export interface RequestScope {
  /** Headers that the answers are to have. */
  readonly headers: Readonly<Record<string, string>>
  readonly observer: OperationObserver | undefined
  /** When the request's time is over, in milliseconds since the epoch; undefined where it lasts. */
  readonly deadline: number | undefined
  /** Answers what a commit asks of the request or of others. */
  readonly resolve: (question: Question) => Promise<unknown>
}

/** Of a custom resource the object that holds it has to know the definition. */
function withDefinition({ custom }: Kind, operation: Operation): Operation {
  return custom === undefined ? operation : { ...operation, definition: custom.tag }
}

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
    const answer = await unwrap(await this.#asked(stub, this.#carried(kind, operation), body))
    return observer === undefined ? answer : observer.answered(operation, answer)
  }

  /** Sends an operation until no question is left. */
  async #asked(stub: DurableObjectStub, operation: Operation, body: string | undefined): Promise<Response> {
    let sent = operation
    for (let round = 0; round < mostQuestions; round++) {
      const response = await stub.fetch(collectionUrl, operationInit(sent, body))
      const question = await questionOf(response)
      if (question === undefined) return response
      if (this.#onBehalf === undefined || !('write' in sent)) throw new Error('a question that nobody answers')
      const answers = { ...sent.write.answers, [JSON.stringify(question)]: await this.#onBehalf.resolve(question) }
      sent = { ...sent, write: { ...sent.write, answers } }
    }
    throw new Error('a write asks without end')
  }

  #carried(kind: Kind, asked: Operation): Operation {
    const operation = withDefinition(kind, asked)
    if (this.#onBehalf === undefined) return operation
    const { headers: answerHeaders, deadline } = this.#onBehalf
    return deadline === undefined ? { ...operation, answerHeaders } : { ...operation, answerHeaders, deadline }
  }
}
