/** Updates the owner index within every commit. Objects without owners cost nothing. */
import type { ObjectMeta } from '../meta/object-meta.ts'
import { ownerOfText, ownerRange, ownersOf } from '../meta/owner.ts'
import { deleteDependent, insertDependent, scheduleOwners } from './owner-statements.ts'
import type { Stored, StoreEvent } from './store.ts'

const noOwners: ReadonlyMap<string, boolean> = new Map()

/** Returns the owners of a state. The text is searched first: most objects have no owners and need no parsing. */
function ownersIn(stored: Stored | undefined): ReadonlyMap<string, boolean> {
  if (stored === undefined || !stored.value.includes('"ownerReferences":[')) return noOwners
  return ownersOf((JSON.parse(stored.value) as { metadata: ObjectMeta }).metadata)
}

/**
 * Updates the index after a change. Call it within the change's commit.
 * @param at when the owners that this affects are due, in milliseconds since the epoch
 * @returns whether an owner became due
 */
export function indexOwners(sql: SqlStorage, event: StoreEvent, at: number): boolean {
  const before = ownersIn(event.previous)
  const after = event.type === 'DELETED' ? noOwners : ownersIn(event.object)
  if (before.size === 0 && after.size === 0) return false
  const { key } = event.object
  let due = false
  for (const [owner, blocking] of after) {
    if (before.get(owner) !== blocking) due = insertDependent(sql, owner, key, blocking, at) || due
  }
  for (const [owner, blocking] of before) {
    if (!after.has(owner)) deleteDependent(sql, owner, key)
    else if (!blocking || after.get(owner) === true) continue
    due = scheduleOwners(sql, ownerRange(ownerOfText(owner).uid), at) || due
  }
  return due
}
