/** The Durable Objects of a deployment, found by placement. */
import type { Kind } from '../catalog/kind.ts'
import { collectionUrl, type Operation, operationInit, unwrap } from './operation.ts'
import { type Placement, placementOf } from './placement.ts'

/** The bindings under which a deployment has its classes. */
export interface ObjectBindings {
  readonly COLLECTION: DurableObjectNamespace
  readonly CONTROL: DurableObjectNamespace
}

/** Finds stubs and sends operations. Ids are remembered: making one from a name costs a hash. */
export class Objects {
  readonly #bindings: ObjectBindings
  readonly #ids = new Map<string, DurableObjectId>()

  constructor(bindings: ObjectBindings) {
    this.#bindings = bindings
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
    const { headers } = operationInit(operation)
    return unwrap(await stub.fetch(collectionUrl, { headers: { ...headers, upgrade: 'websocket' } }))
  }

  /**
   * Has an operation done by the object that holds the kind's collection.
   * @throws the ApiError that the object answers
   */
  async perform(cluster: string, kind: Kind, operation: Operation, body?: string): Promise<Response> {
    const stub = this.get(placementOf(cluster, kind.storage))
    return unwrap(await stub.fetch(collectionUrl, operationInit(operation, body)))
  }
}
