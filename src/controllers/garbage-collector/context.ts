/** The dependencies that both halves of the garbage collector share. */
import type { StorageLocation } from '../../catalog/kind.ts'
import type { OwnerAnswers, OwnerMessage } from '../../clusters/owner-messages.ts'
import type { Registry } from '../../registry/registry.ts'
import type { AdmittedWrites } from '../admitted-writes.ts'
import type { KnownKinds } from './known-kinds.ts'

export interface CollectorContext {
  readonly sql: SqlStorage
  readonly registry: Registry
  readonly kinds: KnownKinds
  /** Writes that policies and webhooks may match. */
  readonly writes: AdmittedWrites
  /** The place of this collection, a text of placeText. */
  readonly place: string
  /** Returns the place of a resource's objects. */
  readonly placeOf: (storage: StorageLocation) => string
  /** Sends a message to a place, which may be this one. Rejects if it does not answer. */
  readonly send: <M extends OwnerMessage>(place: string, message: M) => Promise<OwnerAnswers[M['do']]>
  /** Creates an Event. A failure is only logged. */
  readonly report: (event: OwnerEvent) => Promise<void>
}

/** The content of an Event about an owner reference to another namespace. */
export interface OwnerEvent {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly message: string
}
