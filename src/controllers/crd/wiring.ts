/** The controller of changed CustomResourceDefinitions: it accepts names, and establishes definitions. */
import { definitionPrefix, isTrue } from '../../crd/definition.ts'
import { hasInvalidCaBundle } from '../../crd/validation/conversion.ts'
import type { ControlContext } from '../control-context.ts'
import type { Controller } from '../controller.ts'
import { approvalCondition, hasCondition, withCondition } from './conditions.ts'
import { deletedDefinitions, pauseBeforeEnd } from './deletion.ts'
import { type Condition, decideNames } from './names.ts'
import { updateStatus } from './status-updates.ts'

const established: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
}

const invalidCaBundle: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
}

/** Accepts the names and establishes the definitions of one cluster. */
class ChangedDefinitions {
  readonly #context: ControlContext
  /** The generations of the definitions that were reconciled. */
  readonly #generations = new Map<string, number>()

  constructor(context: ControlContext) {
    this.#context = context
  }

  async reconcile(name: string): Promise<void> {
    const { kernel, definitions } = this.#context
    const definition = definitions.get(name)
    if (definition === undefined) return this.#forget(name)
    const { deletionTimestamp, generation = 1 } = definition.metadata
    if (deletionTimestamp !== undefined) this.#addDeleted(name, 0)
    this.#noticeGeneration(name, generation)
    const decision = decideNames(definition, definitions.takenIn(definition.spec.group))
    if (decision !== undefined) {
      await updateStatus(kernel.registry, name, (status, now) => {
        const accepted = { ...status, acceptedNames: decision.acceptedNames }
        return withCondition(withCondition(accepted, decision.namesAccepted, now), decision.established, now)
      })
      this.#releaseNames(name)
    }
    await this.#establish(name)
    const approval = approvalCondition(definition)
    if (approval !== undefined && !hasCondition(definition, approval)) await this.#setCondition(name, approval)
  }

  async #establish(name: string): Promise<void> {
    const definition = this.#context.definitions.get(name)
    if (definition === undefined || !isTrue(definition, 'NamesAccepted') || isTrue(definition, 'Established')) return
    const condition = hasInvalidCaBundle(definition.spec.conversion) ? invalidCaBundle : established
    if (!hasCondition(definition, condition)) await this.#setCondition(name, condition)
  }

  #setCondition(name: string, condition: Condition): Promise<void> {
    return updateStatus(this.#context.kernel.registry, name, (status, now) => withCondition(status, condition, now))
  }

  /** Notices a change of the spec: like kube-apiserver, which makes its storage again, the watches end, so that clients watch again. */
  #noticeGeneration(name: string, generation: number): void {
    const before = this.#generations.get(name)
    this.#generations.set(name, generation)
    if (generation > 1 && before !== generation) this.#addDeleted(name, pauseBeforeEnd)
  }

  /** Releases the names of a definition that is gone. Its watches end after a pause, in which they get the last events. */
  #forget(name: string): void {
    this.#generations.delete(name)
    this.#context.kernel.queues.add(deletedDefinitions, name, pauseBeforeEnd)
    this.#releaseNames(name)
  }

  /** Adds a definition unless it waits: it may have a longer pause. */
  #addDeleted(name: string, after: number): void {
    const { queues } = this.#context.kernel
    if (!queues.has(deletedDefinitions, name)) queues.add(deletedDefinitions, name, after)
  }

  /** Adds the definitions of the group that wait for names, because names may have become free. */
  #releaseNames(name: string): void {
    const { kernel, definitions } = this.#context
    const group = name.slice(name.indexOf('.') + 1)
    for (const other of definitions.waitingIn(group)) if (other !== name) kernel.queues.add(changedDefinitions, other)
  }
}

/**
 * The controller of changed definitions. A definition must be usable as soon as the request that creates it is answered. Its own
 * updates of the status add a definition again, until one reconciliation changes nothing.
 */
export const changedDefinitions: Controller<ControlContext> = {
  name: 'changed-definitions',
  rows: 'due/changed-definitions/',
  watches: [definitionPrefix],
  awaitedBy: 'write',
  open: (context) => {
    const names = new ChangedDefinitions(context)
    return {
      keys: ({ object }) => [object.key.slice(definitionPrefix.length)],
      reconcile: async (name) => {
        await names.reconcile(name)
        return 'done'
      },
    }
  },
}
