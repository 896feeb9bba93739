/** Deletes the instances of a deleted definition before the definition itself, and ends the watches of those that have changed. */
import type { Kind } from '../../catalog/kind.ts'
import { send } from '../../clusters/message.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import { allObjects } from '../../clusters/operation.ts'
import { prefixOfCollection } from '../../clusters/placement.ts'
import { type CustomResourceDefinition, cleanupFinalizer, isTrue } from '../../crd/definition.ts'
import type { ControlContext } from '../control-context.ts'
import type { Controller, Outcome } from '../controller.ts'
import { terminating, withCondition } from './conditions.ts'
import { emptyStatus, updateDefinition, updateStatus } from './status-updates.ts'

/** The pauses between two checks for remaining instances, in milliseconds: `soon` for the first ten seconds, then `later`, doubled. */
const soon = 500
const soonAttempts = 20
const later = 5_000
const longest = 60_000

/** The pause in milliseconds in which watches get the last events before they end. */
export const pauseBeforeEnd = soon

/** Ends the watches of a collection, because its definition is gone or has changed. */
async function endWatches({ kernel, collections }: ControlContext, name: string): Promise<void> {
  const dot = name.indexOf('.')
  const [group, resource] = [name.slice(dot + 1), name.slice(0, dot)]
  const collection = prefixOfCollection(group, resource)
  const prefix = `${collection}/`
  if (collections.isOwn(collection)) kernel.store.closeWatches(prefix)
  // An object that was never written to is not woken: its watches have seen nothing.
  else if (collections.held.has(group, resource))
    await send(kernel.client.collection(group, resource), objectProtocol.endWatches, { prefix })
}

const targetOf = ({ group, version, resource }: Kind) => ({
  group,
  version,
  resource,
  subresource: '',
  namespace: '',
  name: '',
})

/** @returns whether all instances are gone */
async function deleteInstances(
  { kernel: { client }, definitions, collections }: ControlContext,
  definition: CustomResourceDefinition,
): Promise<boolean> {
  const kind = definitions.storageKind(definition.metadata.name ?? '')
  // A collection that was never written to is not touched: creating its database would cost more than all the rest.
  if (kind === undefined || !collections.held.has(kind.group, kind.resource)) return true
  const on = { unconverted: true, target: targetOf(kind) } as const
  await client.perform(kind, { verb: 'deletecollection', ...on, list: allObjects, delete: {}, dryRun: false })
  const left = await client.perform(kind, { verb: 'list', ...on, list: { ...allObjects, limit: 1 } })
  const { items } = await left.json<{ items: unknown[] }>()
  return items.length === 0
}

/** Deletes the instances, then removes the finalizer of the definition. */
async function cleanUp(context: ControlContext, name: string): Promise<Outcome> {
  const { registry } = context.kernel
  const definition = context.definitions.get(name)
  if (definition?.metadata.deletionTimestamp === undefined) {
    await endWatches(context, name)
    return 'done'
  }
  if (definition.metadata.finalizers?.includes(cleanupFinalizer) !== true) return 'done'
  await updateStatus(registry, name, (status, now) => withCondition(status, terminating.inProgress, now))
  const isEstablished = isTrue(definition, 'Established')
  if (isEstablished && !(await deleteInstances(context, definition))) return 'later'
  const condition = isEstablished ? terminating.completed : terminating.neverEstablished
  await updateDefinition(registry, name, (changed, now) => {
    changed.status = withCondition(changed.status ?? emptyStatus(), condition, now)
    changed.metadata.finalizers = (changed.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer)
  })
  // The watches end at the next attempt, when they have got the last events.
  return 'later'
}

/** The controller of deleted definitions whose instances remain, and of deleted or changed ones whose watches remain. */
export const deletedDefinitions: Controller<ControlContext> = {
  name: 'deleted-definitions',
  rows: 'due/deleted-definitions/',
  pause: (attempt) => (attempt < soonAttempts ? soon : Math.min(later * 2 ** Math.min(attempt - soonAttempts, 10), longest)),
  open: (context) => ({
    missed: () => context.definitions.deleted(),
    reconcile: (name) => cleanUp(context, name),
  }),
}
