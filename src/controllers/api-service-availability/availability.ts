/** Keeps the condition Available of APIServices that name a Service, and the documents of their servers. */

import type { ServerAccess } from '../../auth/front-proxy/read-document.ts'
import type { APIService } from '../../catalog/generated/types/apiregistration.v1.ts'
import type { Endpoints, Service } from '../../catalog/generated/types/core.v1.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { ApiService, ApiServiceDocuments, ServiceName } from '../../clusters/api-services.ts'
import { findObject } from '../../clusters/read-object.ts'
import { slicesOf } from '../../clusters/webhooks/service.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { serverManager } from '../../meta/managers.ts'
import { listUnder } from '../../registry/list/all.ts'
import { apiServicePrefix, remoteApiService } from '../../registry/policy/api-services.ts'
import { objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { StoreEvent } from '../../storage/store.ts'
import type { Outcome, QueueName } from '../controller.ts'
import type { Kernel } from '../kernel.ts'
import { type Probe, probe } from './probe.ts'
import { type Finding, findingOf, local, type ServiceObjects, withFinding } from './reconcile.ts'

/** The queue of the APIServices that have to be checked. */
export const availabilityQueue: QueueName = {
  name: 'api-service-availability',
  rows: 'due/api-service-availability/',
}

/** A server that answered is asked again when the cluster is used and so many milliseconds have passed. */
const refreshAfter = 30_000
const documentsKey = (name: string): string => `api-service-documents/${name}`
/** The keys of the specs that were noticed last: those of APIServices that name a Service, or have named one. */
const specPrefix = 'api-service-spec/'
const specKey = (name: string): string => specPrefix + name

/** Returns the documents of a server that were read last. */
export const documentsOf = ({ kv }: Pick<DurableObjectStorage, 'kv'>, name: string): ApiServiceDocuments =>
  kv.get<ApiServiceDocuments>(documentsKey(name)) ?? {}

const apiServiceKind = () => {
  const kind = kindOf('apiregistration.k8s.io', 'v1', 'apiservices')
  if (kind === undefined) throw new Error('no kind APIService')
  return kind
}

/** The APIServices of one cluster that name a Service. */
export class ApiServiceAvailability {
  readonly #kernel: Kernel
  readonly #access: ServerAccess
  readonly #documentsChanged: () => void
  /** When each server was asked last, in milliseconds since the epoch; undefined until the APIServices have been read. */
  #asked: Map<string, number> | undefined

  /** @param documentsChanged makes Workers load the APIServices again, whose documents have changed */
  constructor(kernel: Kernel, access: ServerAccess, documentsChanged: () => void) {
    this.#kernel = kernel
    this.#access = access
    this.#documentsChanged = documentsChanged
  }

  /** Notices a change. Returns the name of the APIService if it has to be checked. */
  changed({ type, object }: StoreEvent): string[] {
    this.#asked = undefined
    const name = object.key.slice(apiServicePrefix.length)
    return this.#hasNewSpec(name, type === 'DELETED' ? undefined : (objectOf(object) as APIService)) ? [name] : []
  }

  /** Returns the names of those whose specs have changed since they were noticed. */
  missed(): string[] {
    this.#asked = undefined
    return this.#remote().flatMap(([name]) => (this.#hasNewSpec(name, this.#object(name)) ? [name] : []))
  }

  #hasNewSpec(name: string, object: APIService | undefined): boolean {
    const { kv } = this.#kernel.ctx.storage
    const spec = object === undefined ? undefined : JSON.stringify(object.spec)
    const known = kv.get<string>(specKey(name))
    if (known === spec) return false
    // Local APIServices that have always been local need no record.
    if (known === undefined && object?.spec.service === undefined) return false
    if (spec === undefined) {
      kv.delete(specKey(name))
      kv.delete(documentsKey(name))
      return false
    }
    kv.put(specKey(name), spec)
    return true
  }

  /** Asks for servers again whose Service has changed. */
  serviceChanged({ namespace, name }: ServiceName): void {
    for (const [of, { service }] of this.#remote()) {
      if (service.namespace === namespace && service.name === name) this.#enqueue(of)
    }
  }

  /** Notices that the cluster is used: servers that have not been asked for a while are asked. */
  used(now: number): void {
    this.#asked ??= new Map(this.#noticed().map((name) => [name, 0]))
    if (this.#asked.size === 0) return
    for (const [name, at] of this.#asked) {
      if (now - at >= refreshAfter && !this.#kernel.queues.has(availabilityQueue, name)) this.#enqueue(name)
    }
  }

  /** Whether it is known that no other server has to be asked. It does not read the storage. */
  get hasNone(): boolean {
    return this.#asked?.size === 0
  }

  #noticed(): string[] {
    const entries = this.#kernel.ctx.storage.kv.list({ prefix: specPrefix })
    return [...entries].map(([key]) => key.slice(specPrefix.length))
  }

  #enqueue(name: string): void {
    this.#kernel.queues.add(availabilityQueue, name)
    void this.#kernel.alarms.arm()
  }

  /** Checks an APIService and writes its condition. */
  async check(name: string): Promise<Outcome> {
    this.#asked?.set(name, Date.now())
    const finding = await this.#checked(name)
    return finding?.reason === 'FailedDiscoveryCheck' ? 'later' : 'done'
  }

  /** @returns undefined if the APIService has been deleted */
  async #checked(name: string): Promise<Finding | undefined> {
    const object = this.#object(name)
    if (object === undefined) return undefined
    const service = remoteApiService(object)
    const { finding, documents } = service === undefined ? { finding: local, documents: undefined } : await this.#find(service)
    // A spec that has changed meanwhile has been enqueued again.
    if (JSON.stringify(this.#object(name)?.spec) !== JSON.stringify(object.spec)) return undefined
    this.#keep(name, documents)
    await this.#write(name, finding)
    if (service === undefined) this.#kernel.ctx.storage.kv.delete(specKey(name))
    return finding
  }

  async #find(service: ApiService): Promise<Probe> {
    const objects = await this.#objectsOf(service.service)
    const finding = findingOf(service, objects)
    return finding === undefined ? probe(this.#access, service) : { finding, documents: undefined }
  }

  async #objectsOf({ namespace, name, port }: ApiService['service']): Promise<ServiceObjects> {
    const { client, webhooks } = this.#kernel
    const place = { namespace, name }
    const [service, slices, endpoints] = await Promise.all([
      findObject<Service>(client, { resource: 'services', ...place }),
      slicesOf(client, place),
      findObject<Endpoints>(client, { resource: 'endpoints', ...place }),
    ])
    return { service, slices, endpoints, isRouted: webhooks.isRouted({ ...place, port }) }
  }

  #keep(name: string, documents: ApiServiceDocuments | undefined): void {
    if (documents === undefined) return
    const { kv } = this.#kernel.ctx.storage
    const known = kv.get<ApiServiceDocuments>(documentsKey(name))
    if (JSON.stringify(known) === JSON.stringify(documents)) return
    kv.put(documentsKey(name), documents)
    this.#documentsChanged()
  }

  async #write(name: string, finding: Finding): Promise<void> {
    const { registry } = this.#kernel
    const kind = apiServiceKind()
    const now = (): string => rfc3339Seconds(registry.now())
    const object = this.#object(name)
    if (object === undefined || withFinding(object, finding, now()) === undefined) return
    await registry.store.write((transaction) => {
      const existing = transaction.get(apiServicePrefix + name)
      if (existing === undefined) return
      const current = objectOf(existing) as APIService
      const conditions = withFinding(current, finding, now())
      if (conditions === undefined) return
      const { group, version, resource } = kind
      const target = { group, version, resource, subresource: 'status', namespace: '', name }
      const changed = { ...(current as unknown as JsonObject), status: { ...current.status, conditions } }
      const { object: decoded } = kind.codec.decode(changed as unknown as JsonObject, undefined, 'Ignore')
      const scope = { registry, transaction, kind, target, write: { manager: serverManager, dryRun: false } }
      updateIn(scope, { existing, object: decoded })
    })
  }

  #object(name: string): APIService | undefined {
    const stored = this.#kernel.store.get(apiServicePrefix + name)
    return stored === undefined ? undefined : (objectOf(stored) as APIService)
  }

  #remote(): [string, ApiService][] {
    return [...listUnder(this.#kernel.store, apiServicePrefix)].flatMap((object) => {
      const service = remoteApiService(object as APIService)
      return service === undefined ? [] : [[object.metadata.name ?? '', service] as [string, ApiService]]
    })
  }
}
