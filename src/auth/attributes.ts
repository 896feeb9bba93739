/** What is asked for. Follows authorizer.Attributes of apiserver. */
export type Attributes = NonResourceAttributes | ResourceAttributes

/** A request for a path that is no resource. */
export interface NonResourceAttributes {
  readonly isResource: false
  readonly verb: string
  readonly path: string
}

/** A request for a resource. */
export interface ResourceAttributes {
  readonly isResource: true
  readonly verb: string
  readonly group: string
  /** Which version of the group is asked; left out or '' where that says nothing. Rules do not look at it, webhooks may. */
  readonly version?: string
  readonly resource: string
  readonly subresource: string
  /** '' for all namespaces and for what has none. */
  readonly namespace: string
  /** '' for a collection. */
  readonly name: string
}

/** Whether a request may go on, and why. */
export interface Decision {
  readonly allowed: boolean
  /** Which rule allows it; of a refusal, what went wrong while looking for one, mostly nothing. */
  readonly reason: string
  /** Somebody who was asked has refused it, and nobody after them was asked. */
  readonly denied?: boolean
  /** What kept somebody from deciding. It was not allowed because of that, or allowed by another one. */
  readonly error?: string
}
