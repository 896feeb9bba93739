/** The Durable Objects of a deployment, found by placement. */
import type { Kind } from '../catalog/kind.ts'
import { collectionUrl, type Operation, operationInit, unwrap } from './operation.ts'
import { type Placement, placementOf } from './placement.ts'

/** The bindings under which a deployment has its classes. */
export interface ObjectBindings {
  readonly COLLECTION: DurableObjectNamespace
  readonly CONTROL: DurableObjectNamespace
}

/** Sees what is asked of collections on behalf of one request. */
export interface OperationObserver {
  asked(operation: Operation, body: string | undefined): void
  /** @returns the answer that goes on to whoever asked */
  answered(operation: Operation, response: Response): Response
}

/** On whose behalf collections are asked. */
export interface OnBehalf {
  /** Headers that the answers are to have. */
  readonly headers: Readonly<Record<string, string>>
  readonly observer: OperationObserver | undefined
}

/** Of a custom resource the object that holds it has to know the definition. */
function withDefinition({ custom }: Kind, operation: Operation): Operation {
  return custom === undefined ? operation : { ...operation, definition: custom.tag }
}

/** Finds stubs and sends operations. Ids are remembered: making one from a name costs a hash. */
export class Objects {
  readonly #bindings: ObjectBindings
  readonly #ids: Map<string, DurableObjectId>
  readonly #onBehalf: OnBehalf | undefined

  constructor(bindings: ObjectBindings, ids = new Map<string, DurableObjectId>(), onBehalf?: OnBehalf) {
    this.#bindings = bindings
    this.#ids = ids
    this.#onBehalf = onBehalf
  }

  /** The same objects, asked on behalf of one request. */
  onBehalf(of: OnBehalf): Objects {
    return new Objects(this.#bindings, this.#ids, of)
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
  async openSocket(cluster: string, kind: Kind, operation: Operation): Promise<Response> {
    const stub = this.get(placementOf(cluster, kind.storage))
    const { headers } = operationInit(this.#carried(kind, operation))
    return unwrap(await stub.fetch(collectionUrl, { headers: { ...headers, upgrade: 'websocket' } }))
  }

  /**
   * Has an operation done by the object that holds the kind's collection.
   * @throws the ApiError that the object answers
   */
  async perform(cluster: string, kind: Kind, operation: Operation, body?: string): Promise<Response> {
    const stub = this.get(placementOf(cluster, kind.storage))
    const observer = this.#onBehalf?.observer
    observer?.asked(operation, body)
    const answer = await unwrap(await stub.fetch(collectionUrl, operationInit(this.#carried(kind, operation), body)))
    return observer === undefined ? answer : observer.answered(operation, answer)
  }

  #carried(kind: Kind, asked: Operation): Operation {
    const operation = withDefinition(kind, asked)
    return this.#onBehalf === undefined ? operation : { ...operation, answerHeaders: this.#onBehalf.headers }
  }
}
