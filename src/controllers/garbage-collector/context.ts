/** What both sides of the garbage collector work with. */
import type { StorageLocation } from '../../catalog/kind.ts'
import type { Registry } from '../../registry/registry.ts'
import type { KnownKinds } from './known-kinds.ts'
import type { Answers, Message } from './messages.ts'

export interface CollectorContext {
  readonly sql: SqlStorage
  readonly registry: Registry
  readonly kinds: KnownKinds
  /** The own place. */
  readonly place: string
  /** The place of a resource's objects. */
  readonly placeOf: (storage: StorageLocation) => string
  /** Sends a message to a place, which may be the own one. Rejects where it does not answer. */
  readonly send: <M extends Message>(place: string, message: M) => Promise<Answers[M['do']]>
  /** Has an Event made: a failure is logged, and that is all. */
  readonly report: (event: OwnerEvent) => Promise<void>
}

/** What is reported of a reference to an owner in another namespace. */
export interface OwnerEvent {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly message: string
}
