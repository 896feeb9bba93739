/** Keeps the index of owners in step with the objects: part of every commit, and of no cost to objects without owners. */
import type { ObjectMeta } from '../meta/object-meta.ts'
import { ownerOfText, ownersOf, ownerTexts } from '../meta/owner.ts'
import { deleteDependent, insertDependent, wakeOwners } from './owner-statements.ts'
import type { Stored, StoreEvent } from './store.ts'

const noOwners: ReadonlyMap<string, boolean> = new Map()

/** The owners of a state. The text is looked for first: most objects have none, and are not parsed. */
function ownersIn(stored: Stored | undefined): ReadonlyMap<string, boolean> {
  if (stored === undefined || !stored.value.includes('"ownerReferences":[')) return noOwners
  return ownersOf((JSON.parse(stored.value) as { metadata: ObjectMeta }).metadata)
}

/**
 * Brings the index to the state after a change; call it within the change's commit.
 * @param at when what follows from it is to be done
 * @returns whether something is
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
    due = wakeOwners(sql, ownerTexts(ownerOfText(owner).uid), at) || due
  }
  return due
}
