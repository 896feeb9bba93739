/** Deletes the content of terminating namespaces, then removes their finalizer. */

import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import { allObjects, type Target, type WriteOptions } from '../../clusters/operation.ts'
import { prefixOfCollection } from '../../clusters/placement.ts'
import type { RegisteredCollection } from '../../clusters/registration-messages.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Registry } from '../../registry/registry.ts'
import { objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { Stored, Transaction } from '../../storage/store.ts'
import type { ControlContext } from '../control-context.ts'
import type { Controller, Outcome } from '../controller.ts'
import type { Kernel } from '../kernel.ts'
import { conditionsOf, type Findings, type NamespaceCondition } from './conditions.ts'
import { type ContentRequests, deleteContent, type KindOfCollection } from './content.ts'
import { namespaceNames, namespacePrefix } from './names.ts'
import { reconcile, retryDelay } from './reconcile.ts'

/** The field manager of the upstream namespace controller. */
const manager = 'kube-controller-manager'

/**
 * The options of the deletions. The policy is set explicitly: by the default of some kinds, objects would wait until their
 * dependents are orphaned, which are deleted too.
 */
const contentDeletion = { propagationPolicy: 'Background' } as const

/** Whether a stored object is a namespace that is being deleted. */
const isTerminating = (stored: Stored | undefined): boolean =>
  stored?.value.includes('"deletionTimestamp":') === true && objectOf(stored).metadata.deletionTimestamp !== undefined

/** Empties the namespaces of one cluster. */
class NamespaceContents {
  readonly #context: ControlContext
  readonly #kernel: Kernel
  readonly #registry: Registry

  constructor(context: ControlContext) {
    this.#context = context
    this.#kernel = context.kernel
    this.#registry = context.kernel.registry
  }

  /**
   * Reconciles one namespace. Since it is terminating no collection begins to hold objects in it, and each that holds some is told to
   * take no more before it is emptied: the content that is gone stays gone.
   */
  async reconcile(name: string): Promise<Outcome> {
    const namespace = this.#get(name)
    if (namespace === undefined || reconcile(namespace, 'not looked at').do === 'nothing') return 'done'
    const { uid, deletionTimestamp = '' } = namespace.metadata
    const now = this.#registry.now()
    const { client: objects } = this.#kernel
    const { held } = this.#context.collections
    const known = held.holding(name)
    const requests: ContentRequests = {
      revoke: (collection, namespace) => this.#revoke(collection, namespace),
      list: (kind, operation) => objects.perform(kind, operation),
      removeAll: (kind, target) => this.#removeAll(kind, target),
    }
    const about = { name, deletedAt: Date.parse(deletionTimestamp) }
    const kinds: KindOfCollection = ({ group, version, resource }) =>
      kindOf(group, version, resource) ?? this.#context.definitions.storageKind(`${resource}.${group}`)
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

  /** Makes a collection ask before it stores a further object in the namespace. */
  async #revoke({ group, resource }: RegisteredCollection, namespace: string): Promise<void> {
    if (this.#context.collections.isOwn(prefixOfCollection(group, resource))) return
    await send(this.#kernel.client.collection(group, resource), objectProtocol.revokeRegistration, { namespace })
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

/** The controller of namespaces, whether a client or the garbage collector has deleted them. */
export const namespaces: Controller<ControlContext> = {
  name: 'namespaces',
  enabledBy: ['namespace-controller'],
  rows: 'due/namespaces/',
  watches: [namespacePrefix],
  pause: retryDelay,
  open: (context) => {
    const { store } = context.kernel
    const contents = new NamespaceContents(context)
    return {
      keys: ({ type, object, previous }) =>
        type !== 'DELETED' && isTerminating(object) && !isTerminating(previous) ? [object.key.slice(namespacePrefix.length)] : [],
      *missed() {
        for (const name of namespaceNames(store)) if (isTerminating(store.get(namespacePrefix + name))) yield name
      },
      reconcile: (name) => contents.reconcile(name),
    }
  },
}
