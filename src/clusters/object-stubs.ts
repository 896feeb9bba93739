/** The stubs of a cluster's Durable Objects: their addresses, and what is added to each request to them. */

import { ClusterReplaced } from '../meta/errors.ts'
import { type CauseClock, causeHeader, learnCause } from './fork-messages.ts'
import { namespaceAt, optionsAt, type PlaceSettings } from './object-place.ts'
import { type ClusterPlacement, defaultCluster, type Placement } from './placement.ts'
import { clusterUidHeader, type InnerStub } from './protocol.ts'
import { senderHeader } from './senders.ts'
import { elsewhereIn, isReplacedResponse } from './wire-error.ts'

/** The bindings of the Durable Object classes, and where their objects are. */
export interface ObjectBindings extends PlaceSettings {
  readonly COLLECTION: DurableObjectNamespace
  readonly CONTROL: DurableObjectNamespace
  /**
   * `requests`: every read is a request to a Durable Object. `memory`: what a Durable Object of the same isolate has in memory is
   * read without one. Only for a server of one process.
   */
  readonly READS?: string
}

/** A Durable Object that uses a client: its inner requests to itself are calls. */
export interface OwnObject {
  readonly name: string
  readonly fetch: (request: Request) => Promise<Response>
}

/** The Durable Object that sends requests to others. */
export interface Caller {
  readonly name: string
  /** Its clock: its writes and those that they cause keep their order in time. */
  readonly clock: CauseClock
}

/** A cluster, as all clients of it in one place share it. */
export interface KnownCluster {
  readonly name: string
  /** Undefined until the control object has told it. */
  placement: ClusterPlacement | undefined
  /** The uid of its Cluster object, which does not change any more; undefined until the control object has told it. */
  uid?: string
  /** Set when another cluster with the same name exists: nothing that is known about this one holds any more. */
  isReplaced?: true
  /** The region in which its objects are made, if it is not that of the deployment. */
  location?: string | undefined
  /** The jurisdiction of its objects, if it is not that of the deployment. */
  jurisdiction?: string | undefined
  /** Set when an object of the cluster has answered: it is known where they are. */
  isLocated?: true
  /** The ids of Durable Objects by their names: each computation of an id costs a hash. */
  readonly ids: Map<string, DurableObjectId>
  readonly own?: OwnObject
  /** The object that uses the client; absent in a Worker. */
  readonly caller?: Caller
}

/** Returns the stub of an object that learns who sends a request and at what time, and tells its own time. */
function calledBy({ name, clock }: Caller, stub: InnerStub): InnerStub {
  return {
    fetch: async (input, init) => {
      const request = new Request(input, init)
      request.headers.set(senderHeader, name)
      request.headers.set(causeHeader, String(clock.time))
      const response = await stub.fetch(request)
      learnCause(clock, response)
      return response
    },
  }
}

/** Returns headers with the uid of the cluster. Nearly all are those of operations, a plain object, which costs least. */
function headersWith(uid: string, headers: HeadersInit | undefined): HeadersInit {
  if (headers === undefined) return { [clusterUidHeader]: uid }
  if (!(headers instanceof Headers) && !Array.isArray(headers))
    return { ...(headers as Record<string, string>), [clusterUidHeader]: uid }
  const all = new Headers(headers)
  all.set(clusterUidHeader, uid)
  return all
}

/** Returns the place of the cluster's objects. */
function settingsOf(bindings: ObjectBindings, { location, jurisdiction }: KnownCluster): PlaceSettings {
  if (location === undefined && jurisdiction === undefined) return bindings
  const { LOCATION, JURISDICTION } = bindings
  return { LOCATION: location ?? LOCATION ?? '', JURISDICTION: jurisdiction ?? JURISDICTION ?? '' }
}

/** Returns a stub whose requests are repeated in the jurisdiction of the cluster if the object says that it is elsewhere. */
function following(stub: InnerStub, bindings: ObjectBindings, cluster: KnownCluster, placement: Placement): InnerStub {
  return {
    fetch: async (input, init) => {
      const again = input instanceof Request ? input.clone() : input
      const response = await stub.fetch(input, init)
      const jurisdiction = elsewhereIn(response)
      if (jurisdiction === undefined || jurisdiction === cluster.jurisdiction) return response
      await response.body?.cancel()
      cluster.jurisdiction = jurisdiction
      cluster.ids.clear()
      return stubOf(bindings, cluster, placement).fetch(again, init)
    },
  }
}

/** Returns a stub whose requests are only answered by an object of the cluster with this uid, or else rejected with ClusterReplaced. */
function boundTo(stub: InnerStub, cluster: KnownCluster, uid: string): InnerStub {
  return {
    fetch: async (input, init) => {
      const response = await stub.fetch(input, { ...init, headers: headersWith(uid, init?.headers) })
      if (!isReplacedResponse(response)) return response
      cluster.isReplaced = true
      await response.body?.cancel()
      throw new ClusterReplaced()
    },
  }
}

/** Returns the stub of an object of a cluster. */
export function stubOf(bindings: ObjectBindings, cluster: KnownCluster, placement: Placement): InnerStub {
  const { ids, own, caller, uid, isLocated, name } = cluster
  if (placement.name === own?.name) return { fetch: (input, init) => own.fetch(new Request(input, init)) }
  const settings = settingsOf(bindings, cluster)
  const namespace = namespaceAt(placement.class === 'control' ? bindings.CONTROL : bindings.COLLECTION, settings)
  let id = ids.get(placement.name)
  if (id === undefined) {
    id = namespace.idFromName(placement.name)
    ids.set(placement.name, id)
  }
  const stub = namespace.get(id, optionsAt(settings))
  const found = isLocated === true || name === defaultCluster ? stub : following(stub, bindings, cluster, placement)
  const bound = uid === undefined ? found : boundTo(found, cluster, uid)
  return caller === undefined ? bound : calledBy(caller, bound)
}
