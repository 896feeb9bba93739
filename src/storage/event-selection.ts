/** Turns a store event into the event that a watcher with a selector gets. */
import type { EventType, Stored, StoreEvent } from './store.ts'
import { withResourceVersion } from './value-version.ts'

/** An event as a watcher gets it. */
export interface SelectedEvent {
  readonly type: EventType
  readonly object: Stored
}

/**
 * Returns the event for a watcher that selects by `matches`; undefined if the watcher does not get it. An object that enters the
 * selection is ADDED. One that leaves it is DELETED, with its last selected state under the new resourceVersion, as in
 * kube-apiserver.
 */
export function selectedEvent(event: StoreEvent, matches: ((object: Stored) => boolean) | undefined): SelectedEvent | undefined {
  const { type, object, previous } = event
  if (matches === undefined) return event
  const wasSelected = previous !== undefined && matches(previous)
  if (type === 'DELETED') return wasSelected ? event : undefined
  if (matches(object)) return { type: wasSelected ? 'MODIFIED' : 'ADDED', object }
  return wasSelected ? { type: 'DELETED', object: withResourceVersion(previous, object.resourceVersion) } : undefined
}
