/**
 * The jurisdiction of a cluster that has one of its own. It is a part of the address of each Durable Object, which a client does not
 * know from the name of the cluster. So the control object that the name has without a jurisdiction holds this fact, and nothing
 * else of the cluster; it tells every client where to ask instead.
 */
import { ApiError } from '../meta/errors.ts'
import { errorResponse } from './wire-error.ts'

/** The inner path of a control object outside of the jurisdiction: PUT with a Signpost. */
export const signpostPath = '/cluster/jurisdiction'

/** The jurisdiction to which a control object sends clients; absent for none. */
export interface Signpost {
  readonly jurisdiction?: string
  /** The one that it has named until now, whose cluster has been deleted. */
  readonly former?: string
}

/** The header with the jurisdiction. */
const jurisdictionHeader = 'edgeplane-jurisdiction'

/** Returns the response to a request for a cluster that is in a jurisdiction. */
export function elsewhereResponse(jurisdiction: string): Response {
  const message = `the cluster is in the jurisdiction ${jurisdiction}`
  const response = errorResponse(new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 }))
  response.headers.set(jurisdictionHeader, jurisdiction)
  return response
}

/** Returns the jurisdiction in which to ask instead; undefined for an answer of the cluster. */
export const elsewhereIn = ({ status, headers }: Response): string | undefined =>
  status === 503 ? (headers.get(jurisdictionHeader) ?? undefined) : undefined
