/** Deletes the content of terminating namespaces, then removes their finalizer. Driven by the control object's alarm. */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { allObjects, type Target, type WriteOptions } from '../../clusters/operation.ts'
import { logError } from '../../meta/log.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Registry } from '../../registry/registry.ts'
import { objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { Transaction } from '../../storage/store.ts'
import type { AlarmPart } from '../alarms.ts'
import { DueItems } from '../due-items.ts'
import type { Kernel } from '../kernel.ts'
import type { HeldCollections } from './collections.ts'
import { conditionsOf, type Findings, type NamespaceCondition } from './conditions.ts'
import { type ContentRequests, deleteContent, type KindOfCollection } from './content.ts'
import { reconcile, retryDelay } from './reconcile.ts'

const namespacePrefix = 'namespaces/'
/** The field manager of the upstream namespace controller. */
const manager = 'kube-controller-manager'

/**
 * The options of the deletions. The policy is set explicitly: by the default of some kinds, objects would wait until their
 * dependents are orphaned, which are deleted too.
 */
const contentDeletion = { propagationPolicy: 'Background' } as const

/** The collections of the cluster. */
export interface NamespacedCollections {
  readonly held: HeldCollections
  /** Returns the kind of a custom resource, in its storage version. */
  readonly customKind: (group: string, resource: string) => Kind | undefined
  readonly revoke: ContentRequests['revoke']
}

export class NamespaceController implements AlarmPart {
  readonly name = 'namespaces'
  readonly #kernel: Kernel
  readonly #collections: NamespacedCollections
  readonly #registry: Registry
  readonly #due: DueItems

  constructor(kernel: Kernel, collections: NamespacedCollections) {
    this.#kernel = kernel
    this.#collections = collections
    this.#registry = kernel.registry
    this.#due = new DueItems(kernel.ctx.storage, this.name)
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
        logError(`namespace ${name}`, error)
        return 'later' as const
      })
      if (next === 'done') this.#due.delete(name)
      else this.#due.set(name, { at: this.#registry.now() + retryDelay(due.attempt), attempt: due.attempt + 1 })
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

  /**
   * Reconciles one namespace. Since it is terminating no collection begins to hold objects in it, and each that holds some is told to
   * take no more before it is emptied: the content that is gone stays gone.
   */
  async #reconcile(name: string): Promise<'done' | 'later'> {
    const namespace = this.#get(name)
    if (namespace === undefined || reconcile(namespace, 'not looked at').do === 'nothing') return 'done'
    const { uid, deletionTimestamp = '' } = namespace.metadata
    const now = this.#registry.now()
    const { client: objects } = this.#kernel
    const { held, customKind, revoke } = this.#collections
    const known = held.holding(name)
    const requests: ContentRequests = {
      revoke,
      list: (kind, operation) => objects.perform(kind, operation),
      removeAll: (kind, target) => this.#removeAll(kind, target),
    }
    const about = { name, deletedAt: Date.parse(deletionTimestamp) }
    const kinds: KindOfCollection = ({ group, version, resource }) =>
      kindOf(group, version, resource) ?? customKind(group, resource)
    const content = await deleteContent(requests, kinds, known, about, now)
    await this.#update(name, uid, 'status', (found) => this.#describe(found, content))
    const current = this.#get(name)
    if (current === undefined) return 'done'
    const step = reconcile(current, content.isAllGone ? 'gone' : 'left')
    if (step.do !== 'finish') return step.do === 'nothing' ? 'done' : 'later'
    await this.#update(name, uid, 'finalize', (found, transaction) => {
      found.spec = step.remaining.length === 0 ? {} : { finalizers: [...step.remaining] }
      transaction.alongside(() => held.forget(name))
      return true
    })
    return 'done'
  }

  #get(name: string): KubernetesObject | undefined {
    const stored = this.#registry.store.get(namespacePrefix + name)
    return stored === undefined ? undefined : objectOf(stored)
  }

  /** Deletes all objects of a kind in a namespace; one by one if policies or webhooks may match. */
  async #removeAll(kind: Kind, target: Target): Promise<void> {
    const { client: objects } = this.#kernel
    const writes = this.#kernel.writesOf('namespace-controller')
    const admission = (await writes.admission())(kind, 'DELETE', contentDeletion)
    if (admission !== undefined) return writes.removeAll(kind, target, contentDeletion, admission)
    const deletion = { delete: contentDeletion, dryRun: false, unconverted: true } as const
    await objects.performWithoutAnswer(kind, { verb: 'deletecollection', target, list: allObjects, ...deletion })
  }

  #describe(namespace: KubernetesObject, findings: Findings): boolean {
    const status = (namespace.status ?? {}) as { phase?: string; conditions?: NamespaceCondition[] }
    const conditions = conditionsOf(status.conditions ?? [], findings, this.#registry.now())
    if (conditions !== undefined) namespace.status = { ...status, phase: 'Terminating', conditions }
    return conditions !== undefined
  }

  /** Writes to a subresource of the current namespace, if its uid is unchanged. */
  async #update(
    name: string,
    uid: string | undefined,
    subresource: 'status' | 'finalize',
    change: (namespace: KubernetesObject, transaction: Transaction) => boolean,
  ): Promise<void> {
    const kind = kindOf('', 'v1', 'namespaces')
    if (kind === undefined) return
    await this.#registry.store.write((transaction) => {
      const stored = transaction.get(namespacePrefix + name)
      if (stored === undefined) return
      const namespace = objectOf(stored)
      if (namespace.metadata.uid !== uid || !change(namespace, transaction)) return
      const target: Target = { group: '', version: 'v1', resource: 'namespaces', subresource, namespace: '', name }
      const write: WriteOptions = { manager, dryRun: false, fromPatch: true }
      updateIn({ registry: this.#registry, transaction, kind, target, write }, { existing: stored, object: namespace })
    })
  }
}
