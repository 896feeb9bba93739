/** Errors of Durable Objects on their way to the Worker. Their form is the same in every version of the inner protocol. */
import type { StatusDetails } from '../meta/errors.ts'
import { ApiError, ClusterElsewhere, ClusterReplaced } from '../meta/errors.ts'
import type { RequestFindings } from '../meta/findings.ts'

const errorHeader = 'edgeplane-error'
/** Set on the refusal of a request for an earlier cluster with the same name. */
const replacedHeader = 'edgeplane-cluster-replaced'
/** The jurisdiction of the cluster, on the refusal of an object that is outside of it. */
const jurisdictionHeader = 'edgeplane-jurisdiction'

/** An ApiError as JSON. */
export interface WireError {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly details?: StatusDetails
  readonly continue?: string
  readonly warnings?: readonly string[]
  readonly findings?: RequestFindings
}

/** Returns the Durable Object's response with an ApiError for the Worker. */
export function errorResponse(error: ApiError): Response {
  const headers = new Headers({ [errorHeader]: '1' })
  if (error instanceof ClusterReplaced) headers.set(replacedHeader, '1')
  if (error instanceof ClusterElsewhere) headers.set(jurisdictionHeader, error.jurisdiction)
  return new Response(JSON.stringify(wireError(error)), { status: error.code, headers })
}

/** Whether an answer says that another cluster has the name now. */
export const isReplacedResponse = ({ status, headers }: Response): boolean => status === 503 && headers.has(replacedHeader)

/** Returns the jurisdiction in which to ask instead; undefined for an answer of the cluster. */
export const elsewhereIn = ({ status, headers }: Response): string | undefined =>
  status === 503 ? (headers.get(jurisdictionHeader) ?? undefined) : undefined

/** Converts an ApiError to JSON. */
export function wireError(error: ApiError): WireError {
  const { code, reason, message, details, continue: token, warnings, findings } = error
  return {
    code,
    reason,
    message,
    ...(details !== undefined && { details }),
    ...(token !== undefined && { continue: token }),
    ...(warnings.length > 0 && { warnings }),
    ...(findings !== undefined && { findings }),
  }
}

/** Converts JSON to the ApiError. */
export function fromWire(wire: WireError): ApiError {
  const error = new ApiError(wire.code, wire.reason, wire.message, wire.details, wire.continue)
  error.warnings = wire.warnings ?? []
  error.findings = wire.findings
  return error
}

/** Returns the response of a Durable Object. @throws ApiError if the response contains one */
export async function unwrap(response: Response): Promise<Response> {
  if (response.headers.get(errorHeader) === null) return response
  throw fromWire(await response.json<WireError>())
}
