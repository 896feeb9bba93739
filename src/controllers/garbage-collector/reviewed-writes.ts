/** Writes of the garbage collector that policies or webhooks may match: each is an operation of its own, with admission. */
import type { Kind } from '../../catalog/kind.ts'
import type { Target } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import { logError } from '../../meta/log.ts'
import type { ObjectMeta, OwnerReference } from '../../meta/object-meta.ts'
import type { AdmissionOfWrite, MetadataPatch } from '../admitted-writes.ts'
import type { CollectorContext } from './context.ts'
import { placeInKind } from './kinds.ts'
import type { Step } from './reconcile.ts'

/** The result of processing one object: finished, or it has to be processed again. */
export type Outcome = 'done' | 'again'

/** Logs a refused write: the object may be invalid by current rules, or protected. The other objects of the batch continue. */
export function refused(key: string, error: unknown): Outcome {
  if (!(error instanceof ApiError)) throw error
  logError(`garbage collection: ${key}`, error.message)
  return 'again'
}

/** Returns the owner references of a blocked object, none of which blocks the deletion of its owner. */
export const unblocked = (references: readonly OwnerReference[]): OwnerReference[] =>
  references.map((reference) => (reference.blockOwnerDeletion === true ? { ...reference, blockOwnerDeletion: false } : reference))

function targetOf(kind: Kind, key: string): Target {
  const { group, version, resource } = kind
  return { group, version, resource, subresource: '', ...placeInKind(kind, key) }
}

/** The writes to some objects of one collection. */
export class ReviewedWrites {
  readonly #context: CollectorContext
  readonly #admission: AdmissionOfWrite

  /** @param admission at the moment */
  constructor(context: CollectorContext, admission: AdmissionOfWrite) {
    this.#context = context
    this.#admission = admission
  }

  /** Whether policies or webhooks may match a write to the object with this key. */
  mayMatch(key: string): boolean {
    const kind = this.#context.kinds.ofKey(key)
    return kind !== undefined && (this.#admission(kind, 'DELETE') ?? this.#admission(kind, 'UPDATE')) !== undefined
  }

  /** Takes a step for one object. */
  async take(key: string, metadata: ObjectMeta, step: Step): Promise<Outcome> {
    if (step.do === 'nothing') return 'done'
    const kind = this.#context.kinds.ofKey(key)
    if (step.do === 'wait' || kind === undefined) return 'again'
    const { uid, resourceVersion, ownerReferences = [] } = metadata
    try {
      if (step.do === 'drop references') {
        const left = ownerReferences.filter((reference) => !step.uids.has(reference.uid))
        await this.patch(kind, key, metadata, { ownerReferences: left.length === 0 ? null : left })
        return 'done'
      }
      if (step.unblock) await this.patch(kind, key, metadata, { ownerReferences: unblocked(ownerReferences) })
      const preconditions = { ...(uid !== undefined && { uid }), ...(!step.unblock && resourceVersion && { resourceVersion }) }
      await this.#remove(kind, key, step.policy, preconditions)
      return 'done'
    } catch (error) {
      return error instanceof ApiError && error.code === 404 ? 'done' : refused(key, error)
    }
  }

  async #remove(
    kind: Kind,
    key: string,
    propagationPolicy: 'Orphan' | 'Background' | 'Foreground',
    preconditions: { readonly uid?: string; readonly resourceVersion?: string },
  ): Promise<void> {
    const admission = this.#admission(kind, 'DELETE', { propagationPolicy, preconditions })
    await this.#context.writes.remove(kind, targetOf(kind, key), { propagationPolicy, ...preconditions }, admission)
  }

  /**
   * Changes the metadata of an object that has the given metadata now.
   * @throws ApiError 409 if it has changed, 404 if it is gone, and the refusals of policies and webhooks
   */
  async patch(kind: Kind, key: string, { resourceVersion }: ObjectMeta, change: MetadataPatch): Promise<void> {
    const changed = { ...change, ...(resourceVersion !== undefined && { resourceVersion }) }
    await this.#context.writes.patchMetadata(kind, targetOf(kind, key), changed, this.#admission(kind, 'UPDATE'))
  }
}
