/** What a watcher with a selection sees of an event. */
import type { EventType, Stored, StoreEvent } from './store.ts'
import { withResourceVersion } from './value-version.ts'

/** An event as a watcher sees it. */
export interface SelectedEvent {
  readonly type: EventType
  readonly object: Stored
}

/**
 * The event for a watcher that selects by `matches`; undefined where it sees nothing of it. An object that enters the
 * selection is ADDED. One that leaves it is DELETED: shown in the state that was selected, under the new resourceVersion,
 * as kube-apiserver does.
 */
export function selectedEvent(event: StoreEvent, matches: ((object: Stored) => boolean) | undefined): SelectedEvent | undefined {
  const { type, object, previous } = event
  if (matches === undefined) return event
  const wasSelected = previous !== undefined && matches(previous)
  if (type === 'DELETED') return wasSelected ? event : undefined
  if (matches(object)) return { type: wasSelected ? 'MODIFIED' : 'ADDED', object }
  return wasSelected ? { type: 'DELETED', object: withResourceVersion(previous, object.resourceVersion) } : undefined
}
