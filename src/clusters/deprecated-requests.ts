/** The record of requests for versions that a later release removes, which the control object of a cluster keeps. */

/** Requests of one client for one version and verb. */
export interface DeprecatedRequests {
  readonly userAgent: string
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly count: number
  /** RFC 3339. */
  readonly lastTime: string
}

/** Returns a text that identifies the client, version and verb. */
export const deprecatedRequestsKey = ({ userAgent, verb, group, version, resource, subresource }: DeprecatedRequests): string =>
  JSON.stringify([userAgent, verb, group, version, resource, subresource])

/** Adds requests to those that have the same key. */
export function sumOfRequests(one: DeprecatedRequests | undefined, other: DeprecatedRequests): DeprecatedRequests {
  if (one === undefined) return other
  const { lastTime } = one.lastTime < other.lastTime ? other : one
  return { ...other, count: one.count + other.count, lastTime }
}
