/** The messages by which the control object learns which collections hold objects of a namespace. */
import type { NamespacePhase } from './namespace-facts.ts'
import type { LimitedRanges } from './quota-messages.ts'

/** A collection, with a version in which its objects can be read. */
export interface RegisteredCollection {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** A collection's report before its first object in a namespace. */
export interface CollectionRegistration extends RegisteredCollection {
  /** '' for cluster-scoped objects; absent in reports of earlier releases. */
  readonly namespace?: string
  /** Whether it is the collection's first report: then it reports every namespace in which it holds objects. */
  readonly isFirst?: boolean
}

/** The answer to a registration: if the phase is Active, the collection is registered. */
export interface RegistrationAnswer extends LimitedRanges {
  /** The phase of the namespace; null if it does not exist, Active for cluster-scoped objects. Earlier releases always register. */
  readonly phase?: NamespacePhase | null
}
