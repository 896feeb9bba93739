/** deletecollection: every selected object, each by the rules of delete. */
import type { Kind } from '../catalog/kind.ts'
import type { DeleteOptions, ListOptions, Representation, Target } from '../clusters/operation.ts'
import { ApiError } from '../meta/errors.ts'
import type { Transaction } from '../storage/store.ts'
import { type Body, textBody } from './body.ts'
import { removeIn } from './delete.ts'
import type { Registry } from './registry.ts'
import { formOf } from './representation.ts'
import { itemsText } from './representation-form.ts'
import { type Selected, select } from './selection.ts'

/** Objects that one commit deletes: bounded, so that other writes of the collection are not held up. */
const batch = 200

/** The objects of one commit and where the next one goes on. */
interface Batch {
  /** As they were stored. */
  readonly values: readonly string[]
  readonly after: string
  readonly more: boolean
}

function removeBatch(
  registry: Registry,
  transaction: Transaction,
  kind: Kind,
  selected: Selected,
  options: DeleteOptions,
  at: { readonly dryRun: boolean; readonly after: string; readonly limit: number },
): Batch {
  const { store } = registry
  const page = store.list({
    prefix: selected.prefix,
    after: at.after,
    limit: Math.min(batch, at.limit),
    resourceVersion: store.resourceVersion,
  })
  const values: string[] = []
  for (const listed of page.items) {
    const existing = transaction.get(listed.key)
    if (existing === undefined || !(selected.matches?.(existing) ?? true)) continue
    values.push(removeOrShow(registry, transaction, kind, options, existing, at.dryRun))
  }
  return { values, after: page.items.at(-1)?.key ?? at.after, more: page.more }
}

/** An object that the precondition or the strategy protects ends the whole deletion, as kube-apiserver's does. */
function removeOrShow(
  registry: Registry,
  transaction: Transaction,
  kind: Kind,
  options: DeleteOptions,
  existing: Parameters<typeof removeIn>[3],
  dryRun: boolean,
): string {
  try {
    removeIn(registry, transaction, kind, existing, options, dryRun)
    return existing.value
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return existing.value
    throw error
  }
}

/**
 * @returns the list of the objects as they were
 * @throws ApiError 400 and 406 for a form that lists do not have, when the objects have been deleted
 */
export async function removeCollection(
  registry: Registry,
  kind: Kind,
  target: Target,
  list: ListOptions,
  options: DeleteOptions,
  dryRun: boolean,
  representation: Representation | undefined,
): Promise<Body> {
  const selected = select(kind, target, list)
  const values: string[] = []
  for (let after = '', more = true; more && (list.limit === 0 || values.length < list.limit); ) {
    const limit = list.limit === 0 ? batch : list.limit - values.length
    const done = await registry.store.write((transaction) =>
      removeBatch(registry, transaction, kind, selected, options, { dryRun, after, limit }),
    )
    values.push(...done.values)
    after = done.after
    more = done.more
  }
  const metadata = JSON.stringify({ resourceVersion: String(registry.store.resourceVersion) })
  const form = formOf(kind, representation, 'list', registry.now)
  const objects = values.map((value) => ({ value }))
  return textBody(`${form.listHead(metadata)}${itemsText(form, objects)}}\n`)
}
