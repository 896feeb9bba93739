/** Deletes the content of namespaces that are on their way out, then lets them go. Driven by the control object's alarm. */
import { kindOf } from '../../catalog/catalogue.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { Objects } from '../../clusters/objects.ts'
import type { Operation, Target } from '../../clusters/operation.ts'
import { collectionUrl, operationInit, unwrap } from '../../clusters/operation.ts'
import { defaultCluster, placementOf } from '../../clusters/placement.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { performOperation } from '../../registry/collection.ts'
import type { Registry } from '../../registry/registry.ts'
import { objectOf, storedOf } from '../../registry/stored-object.ts'
import { reconcile, retryDelay } from './reconcile.ts'

/** A collection that has held an object at some time, as its Durable Object reports it before its first write. */
interface KnownCollection {
  readonly group: string
  readonly version: string
  readonly resource: string
}

const collectionKey = 'collection/'
const namespacePrefix = 'namespaces/'
const everything = { labelSelector: '', fieldSelector: '', resourceVersion: '', resourceVersionMatch: '', continue: '' } as const

/** Namespaced kinds whose objects are in the control object itself. */
const ownCollections: readonly KnownCollection[] = [
  { group: '', version: 'v1', resource: 'limitranges' },
  { group: '', version: 'v1', resource: 'resourcequotas' },
  { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles' },
  { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'rolebindings' },
]

/** When a namespace is looked at next, and how often it was. */
interface Due {
  readonly at: number
  readonly attempt: number
}

export class NamespaceController {
  readonly #storage: DurableObjectStorage
  readonly #registry: Registry
  readonly #objects: Objects
  readonly #due = new Map<string, Due>()

  constructor(ctx: DurableObjectState, registry: Registry, objects: Objects) {
    this.#storage = ctx.storage
    this.#registry = registry
    this.#objects = objects
    this.#findTerminating()
  }

  /** Remembers a collection, so that deletions find it. Answers when that is durable. */
  async register(text: string): Promise<Response> {
    const { group, version, resource } = JSON.parse(text) as KnownCollection
    await this.#storage.put<KnownCollection>(`${collectionKey}${group}/${resource}`, { group, version, resource })
    return new Response(null, { status: 204 })
  }

  /** Looks whether a write has set a namespace on its way out. */
  noticed(name: string): void {
    const stored = this.#registry.store.get(namespacePrefix + name)
    const terminating = stored !== undefined && objectOf(stored).metadata.deletionTimestamp !== undefined
    if (!terminating) this.#due.delete(name)
    else if (!this.#due.has(name)) this.#due.set(name, { at: this.#registry.now(), attempt: 0 })
  }

  nextAlarm(): number | undefined {
    const times = [...this.#due.values()].map((due) => due.at)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** One look at every namespace that is due. */
  async work(): Promise<void> {
    const now = this.#registry.now()
    for (const [name, due] of this.#due) {
      if (due.at > now) continue
      const finished = await this.#reconcile(name).catch((error: unknown) => {
        console.error(`namespace ${name}:`, error)
        return false
      })
      if (finished) this.#due.delete(name)
      else this.#due.set(name, { at: this.#registry.now() + retryDelay(due.attempt), attempt: due.attempt + 1 })
    }
  }

  #findTerminating(): void {
    for (const name of this.names()) this.noticed(name)
  }

  /** All namespaces that there are. */
  *names(): Generator<string> {
    const { store } = this.#registry
    for (let after = ''; ; ) {
      const page = store.list({ prefix: namespacePrefix, after, limit: 1000, resourceVersion: store.resourceVersion })
      for (const { key } of page.items) yield key.slice(namespacePrefix.length)
      if (!page.more) return
      after = page.items.at(-1)?.key ?? after
    }
  }

  /** Whether there is nothing more to be done about the namespace. */
  async #reconcile(name: string): Promise<boolean> {
    const namespace = this.#get(name)
    if (namespace === undefined || reconcile(namespace, undefined).do === 'nothing') return true
    const content = await this.#deleteContent(name)
    const current = this.#get(name)
    if (current === undefined) return true
    const step = reconcile(current, content)
    if (step.do !== 'finish') return step.do === 'nothing'
    await this.#finish(name, step.remaining)
    return true
  }

  #get(name: string): KubernetesObject | undefined {
    const stored = this.#registry.store.get(namespacePrefix + name)
    return stored === undefined ? undefined : objectOf(stored)
  }

  /** Deletes what is in the namespace; answers how many collections still hold something of it. */
  async #deleteContent(name: string): Promise<number> {
    const known = await this.#storage.list<KnownCollection>({ prefix: collectionKey })
    let holding = 0
    for (const { group, version, resource } of [...ownCollections, ...known.values()]) {
      const kind = kindOf(group, version, resource)
      if (kind?.namespaced !== true) continue
      const target: Target = { group, version, resource, subresource: '', namespace: name, name: '' }
      await this.#perform(kind, {
        verb: 'deletecollection',
        target,
        list: { ...everything, limit: 0 },
        delete: {},
        dryRun: false,
      })
      const left = await this.#perform(kind, { verb: 'list', target, list: { ...everything, limit: 1 } })
      const { items } = (await left.json()) as { items: unknown[] }
      if (items.length > 0) holding++
    }
    return holding
  }

  async #perform(kind: Kind, operation: Operation): Promise<Response> {
    const placement = placementOf(defaultCluster, kind.storage)
    if (placement.class === 'control')
      return unwrap(await performOperation(this.#registry, new Request(collectionUrl, operationInit(operation))))
    return this.#objects.perform(defaultCluster, kind, operation)
  }

  async #finish(name: string, remaining: readonly string[]): Promise<void> {
    await this.#registry.store.write((transaction) => {
      const stored = transaction.get(namespacePrefix + name)
      if (stored === undefined) return
      const namespace = objectOf(stored)
      namespace.spec = remaining.length === 0 ? {} : { finalizers: [...remaining] }
      const record = storedOf(stored.key, namespace, transaction.nextResourceVersion())
      if (remaining.length === 0 && (namespace.metadata.finalizers ?? []).length === 0) transaction.remove(record)
      else transaction.put(record)
    })
  }
}
