/** The deletecollection verb: deletes every selected object by the rules of delete. */
import type { Kind } from '../catalog/kind.ts'
import type { DeleteOptions, ListOptions, Operation } from '../clusters/operation.ts'
import type { Body } from '../encoding/body.ts'
import { HeldObjects, jsonListWriter } from '../encoding/json-list.ts'
import { ApiError, withWarningsOnErrors } from '../meta/errors.ts'
import type { Store, Stored, Transaction } from '../storage/store.ts'
import { commit } from './commit.ts'
import { deletionWarnings, removeIn } from './delete.ts'
import { collectedBody, Tally } from './list/list.ts'
import { type ListRange, parts, selectionOf, selectListed } from './list/pages.ts'
import type { Selected } from './list/selection.ts'
import { type Start, startOf } from './list/start.ts'
import type { Registry } from './registry.ts'

/** The number of objects that one commit deletes: bounded, so that other writes of the collection are not delayed. */
const batch = 200

/** The number of objects in kube-apiserver's pages. */
const page = 10_000

/** The operation that a client requests. */
type CollectionDeletion = Extract<Operation, { readonly verb: 'deletecollection' }>

/** One deletion of many objects. */
interface Removal {
  readonly registry: Registry
  readonly kind: Kind
  readonly options: DeleteOptions
  readonly dryRun: boolean
}

/**
 * Deletes one batch. As in kube-apiserver, the first object that a precondition or the strategy protects ends the whole deletion.
 * @returns the error that ended it. Objects that were deleted before stay deleted.
 */
function removeBatch(removal: Removal, transaction: Transaction, listed: readonly Stored[]): ApiError | undefined {
  const { registry, kind, options, dryRun } = removal
  for (const { key } of listed) {
    const existing = transaction.get(key)
    if (existing === undefined) continue
    try {
      removeIn({ registry, transaction, kind }, { existing, options, dryRun })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code !== 404) return error
    }
  }
  return undefined
}

async function removeAll(removal: Removal, listed: readonly Stored[]): Promise<void> {
  for (let i = 0; i < listed.length; i += batch) {
    const part = listed.slice(i, i + batch)
    const refusal = await commit(removal.registry, (transaction) => removeBatch(removal, transaction, part))
    if (refusal !== undefined) throw refusal
  }
}

/**
 * Returns the position at which the list of the deleted objects begins. kube-apiserver reads it in pages, and with a limit a
 * resourceVersion means that version exactly.
 */
async function startOfDeletion(store: Store, kind: Kind, selected: Selected, list: ListOptions): Promise<Start> {
  if (list.limit > 0) return startOf(store, kind, selected, list)
  return { ...(await startOf(store, kind, selected, { ...list, limit: page })), limit: 0 }
}

/**
 * Deletes the selected objects of a collection.
 * @returns the list of the deleted objects in their last state
 * @throws ApiError as `list` does (406 for the view only after the deletion), and as the deletion of an object does
 */
export async function removeCollection(
  registry: Registry,
  kind: Kind,
  { target, list, delete: options, dryRun, representation, converted }: CollectionDeletion,
): Promise<{ readonly body: Body; readonly warnings: readonly string[] }> {
  const selected = selectListed(kind, target, list)
  const warnings = deletionWarnings(kind, options)
  const start = await withWarningsOnErrors(warnings, () => startOfDeletion(registry.store, kind, selected, list))
  const removal: Removal = { registry, kind, options, dryRun }
  const range: ListRange = { store: registry.store, selected, start }
  const held = new HeldObjects()
  const tally = new Tally()
  for await (const part of tally.of(parts(range, { part: 'objects' }))) {
    if (part.read === 'objects') await removeAll(removal, part.objects)
    held.add(part)
  }
  const body = await withWarningsOnErrors(warnings, () => {
    const listed = {
      collection: registry,
      kind: kind.asStored(),
      view: representation,
      selection: selectionOf(selected),
      converted,
    }
    // If the objects are too many to be kept in memory, they are read from the log.
    return collectedBody(range, tally, jsonListWriter(listed, held))
  })
  return { body, warnings }
}
