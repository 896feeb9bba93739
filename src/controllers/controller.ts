/** What a collection's Durable Object does by itself about the objects that it holds. */
import type { Objects } from '../clusters/objects.ts'
import type { Registry } from '../registry/registry.ts'
import type { StoreEvent } from '../storage/store.ts'
import type { ControllerName } from './enabled.ts'
import type { Work } from './outbox.ts'

/** What controllers work with. */
export interface Surroundings {
  readonly cluster: string
  /** Other collections. */
  readonly objects: Objects
  /** The collection's own; not there yet while the object is made. */
  readonly registry: () => Registry
  /** What clients trust the server by, PEM; '' where they trust it anyway. */
  readonly rootCertificate: string
  /** Which controllers run. */
  readonly enabled: ReadonlySet<ControllerName>
}

/** One controller. */
export interface Controller {
  /** What is to be done because of a change: an entry of the outbox. It runs within the commit. */
  readonly noticed: (event: StoreEvent) => string | undefined
  /** How the entries are worked off. */
  readonly works: Readonly<Record<string, Work>>
}
