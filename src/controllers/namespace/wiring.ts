/** Deletes the content of terminating namespaces, then removes their finalizer. Driven by the control object's alarm. */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import type { Operation, Target, WriteOptions } from '../../clusters/operation.ts'
import { operationInit } from '../../clusters/operation.ts'
import { isControlled } from '../../clusters/placement.ts'
import { collectionUrl } from '../../clusters/protocol.ts'
import { unwrap } from '../../clusters/wire-error.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { performOperation } from '../../registry/collection.ts'
import type { Registry } from '../../registry/registry.ts'
import { objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { AlarmPart } from '../alarms.ts'
import { DueItems } from '../due-items.ts'
import { type CollectionRegistration, RegisteredCollections } from './collections.ts'
import { conditionsOf, type Findings, type NamespaceCondition } from './conditions.ts'
import { deleteContent, type KindOfCollection, type KnownCollection } from './content.ts'
import { reconcile, retryDelay, settledAt } from './reconcile.ts'

const namespacePrefix = 'namespaces/'
/** The field manager of the upstream namespace controller. */
const manager = 'kube-controller-manager'

/** The namespaced kinds whose objects are in the control object itself. */
const ownCollections: readonly KnownCollection[] = [
  { group: '', version: 'v1', resource: 'limitranges' },
  { group: '', version: 'v1', resource: 'resourcequotas' },
  { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles' },
  { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'rolebindings' },
]

type CustomKindOf = (group: string, resource: string) => Kind | undefined

export class NamespaceController implements AlarmPart {
  readonly name = 'namespaces'
  readonly #collections: RegisteredCollections
  readonly #registry: Registry
  readonly #objects: CollectionClient
  readonly #customKind: CustomKindOf
  readonly #due: DueItems

  /** @param customKind returns the kind of a custom resource, in its storage version */
  constructor(ctx: DurableObjectState, registry: Registry, objects: CollectionClient, customKind: CustomKindOf) {
    this.#customKind = customKind
    this.#collections = new RegisteredCollections(ctx.storage)
    this.#registry = registry
    this.#objects = objects
    this.#due = new DueItems(ctx.storage, this.name)
  }

  /** Registers a collection, so that namespace deletions find it. Resolves when the registration is durable. */
  async register(text: string): Promise<CollectionRegistration> {
    const registration = JSON.parse(text) as CollectionRegistration
    await this.#collections.register(registration)
    return registration
  }

  /** Whether a collection has ever been written to. */
  isRegistered(group: string, resource: string): boolean {
    return this.#collections.has(group, resource)
  }

  /** Returns the collections that have ever been written to. */
  collections(): KnownCollection[] {
    return this.#collections.all()
  }

  /** Checks whether a write has made a namespace terminating. Call it in the turn of the commit. */
  enqueue(name: string): void {
    const stored = this.#registry.store.get(namespacePrefix + name)
    const terminating = stored !== undefined && objectOf(stored).metadata.deletionTimestamp !== undefined
    if (!terminating) this.#due.delete(name)
    else if (!this.#due.has(name)) this.#due.set(name, { at: this.#registry.now(), attempt: 0 })
  }

  nextAlarm(): number | undefined {
    return this.#due.nextAlarm()
  }

  /** Reconciles every namespace that is due. */
  async work(now: number): Promise<void> {
    for (const [name, due] of this.#due.dueAt(now)) {
      const next = await this.#reconcile(name).catch((error: unknown) => {
        console.error(`namespace ${name}:`, error)
        return 'later' as const
      })
      if (next === 'done') this.#due.delete(name)
      else if (next === 'later')
        this.#due.set(name, { at: this.#registry.now() + retryDelay(due.attempt), attempt: due.attempt + 1 })
      else this.#due.set(name, { at: next, attempt: due.attempt })
    }
  }

  /** Finds the terminating namespaces that an earlier release has not recorded as due. */
  findTerminating(): void {
    for (const name of this.names()) this.enqueue(name)
  }

  /** Yields the names of all namespaces. */
  *names(): Generator<string> {
    const { store } = this.#registry
    for (let after = ''; ; ) {
      const page = store.list({ prefix: namespacePrefix, after, limit: 1000, resourceVersion: store.resourceVersion })
      for (const { key } of page.items) yield key.slice(namespacePrefix.length)
      if (!page.more) return
      after = page.items.at(-1)?.key ?? after
    }
  }

  /** Reconciles one namespace. Returns the time of the next attempt, if it is known. */
  async #reconcile(name: string): Promise<'done' | 'later' | number> {
    const namespace = this.#get(name)
    if (namespace === undefined || reconcile(namespace, 'not looked at').do === 'nothing') return 'done'
    const { uid, deletionTimestamp = '' } = namespace.metadata
    const now = this.#registry.now()
    const known = this.#collections.holding(name)
    const perform = (kind: Kind, operation: Operation): Promise<Response> => this.#perform(kind, operation)
    const about = { name, deletedAt: Date.parse(deletionTimestamp) }
    const kinds: KindOfCollection = ({ group, version, resource }) =>
      kindOf(group, version, resource) ?? this.#customKind(group, resource)
    const content = await deleteContent(perform, kinds, [...ownCollections, ...known], about, now)
    const settled = settledAt(deletionTimestamp)
    if (content.isAllGone && now < settled) return settled
    await this.#update(name, uid, 'status', (found) => this.#describe(found, content))
    const current = this.#get(name)
    if (current === undefined) return 'done'
    const step = reconcile(current, content.isAllGone ? 'gone' : 'left')
    if (step.do !== 'finish') return step.do === 'nothing' ? 'done' : 'later'
    await this.#update(name, uid, 'finalize', (found) => {
      found.spec = step.remaining.length === 0 ? {} : { finalizers: [...step.remaining] }
      return true
    })
    this.#collections.forget(name, now)
    return 'done'
  }

  #get(name: string): KubernetesObject | undefined {
    const stored = this.#registry.store.get(namespacePrefix + name)
    return stored === undefined ? undefined : objectOf(stored)
  }

  #describe(namespace: KubernetesObject, findings: Findings): boolean {
    const status = (namespace.status ?? {}) as { phase?: string; conditions?: NamespaceCondition[] }
    const conditions = conditionsOf(status.conditions ?? [], findings, this.#registry.now())
    if (conditions !== undefined) namespace.status = { ...status, phase: 'Terminating', conditions }
    return conditions !== undefined
  }

  async #perform(kind: Kind, operation: Operation): Promise<Response> {
    if (isControlled(kind.storage))
      return unwrap(await performOperation(this.#registry, new Request(collectionUrl, operationInit(operation))))
    return this.#objects.perform(kind, operation)
  }

  /** Writes to a subresource of the current namespace, if its uid is unchanged. */
  async #update(
    name: string,
    uid: string | undefined,
    subresource: 'status' | 'finalize',
    change: (namespace: KubernetesObject) => boolean,
  ): Promise<void> {
    const kind = kindOf('', 'v1', 'namespaces')
    if (kind === undefined) return
    await this.#registry.store.write((transaction) => {
      const stored = transaction.get(namespacePrefix + name)
      if (stored === undefined) return
      const namespace = objectOf(stored)
      if (namespace.metadata.uid !== uid || !change(namespace)) return
      const target: Target = { group: '', version: 'v1', resource: 'namespaces', subresource, namespace: '', name }
      const write: WriteOptions = { manager, dryRun: false, fromPatch: true }
      updateIn({ registry: this.#registry, transaction, kind, target, write }, { existing: stored, object: namespace })
    })
  }
}
