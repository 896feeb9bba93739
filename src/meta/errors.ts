/**
 * API errors: one type, thrown anywhere below http/ and rendered in http/status.ts only. Follows "HTTP Status codes" and
 * "Response Status Kind" of the API conventions, and k8s.io/apimachinery/pkg/api/errors.
 */

import { goQuote } from '../go/text.ts'
import type { FieldError, StatusCause } from './field-error.ts'
import { aggregate, causeOf, reportedErrors } from './field-error.ts'
import type { RequestFindings } from './findings.ts'

/** `details` of a Status. */
export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/** A group and a resource, as most messages name them (`deployments.apps`). */
export interface GroupResource {
  readonly group: string
  readonly resource: string
}

/** A group and a kind, as messages about invalid objects name them (`Deployment.apps`). */
export interface GroupKind {
  readonly group: string
  readonly kind: string
}

/** Returns `configmaps` or `deployments.apps`. Follows schema.GroupResource.String. */
export function groupResourceText(groupResource: GroupResource): string {
  return groupResource.group === '' ? groupResource.resource : `${groupResource.resource}.${groupResource.group}`
}

/** An error with all fields of a Status. `code` is the HTTP status; `reason` is '' if kube-apiserver sends no reason. */
export class ApiError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  /** `metadata.continue`: a token with which an expired list can continue. */
  readonly continue: string | undefined
  /** Warnings for the client, sent as Warning headers. */
  warnings: readonly string[] = []
  /** The findings of the request until the error. */
  findings: RequestFindings | undefined

  constructor(code: number, reason: string, message: string, details?: StatusDetails, continueToken?: string) {
    super(message)
    this.code = code
    this.reason = reason
    this.details = details
    this.continue = continueToken
  }

  /** Puts these warnings before the error's own and returns the error. */
  warning(texts: readonly string[]): this {
    this.warnings = [...texts, ...this.warnings]
    return this
  }
}

/** Runs `act`. If it throws an ApiError, the client also gets these warnings. */
export async function withWarningsOnErrors<T>(warnings: readonly string[], action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof ApiError) error.warning(warnings)
    throw error
  }
}

/** Returns the details of an error about one object. */
export const detailsOf = (qualifiedResource: GroupResource, name: string): StatusDetails => ({
  ...(name !== '' && { name }),
  ...(qualifiedResource.group !== '' && { group: qualifiedResource.group }),
  ...(qualifiedResource.resource !== '' && { kind: qualifiedResource.resource }),
})

/** 404 NotFound: the object does not exist. */
export function notFound(qualifiedResource: GroupResource, name: string): ApiError {
  return new ApiError(
    404,
    'NotFound',
    `${groupResourceText(qualifiedResource)} ${goQuote(name)} not found`,
    detailsOf(qualifiedResource, name),
  )
}

/** 409 AlreadyExists: an object with this name exists. */
export function alreadyExists(qualifiedResource: GroupResource, name: string): ApiError {
  return new ApiError(
    409,
    'AlreadyExists',
    `${groupResourceText(qualifiedResource)} ${goQuote(name)} already exists`,
    detailsOf(qualifiedResource, name),
  )
}

/** 409 Conflict: another write came first, or a precondition does not hold. `why` ends the message. */
export function conflict(qualifiedResource: GroupResource, name: string, why: string): ApiError {
  return new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${groupResourceText(qualifiedResource)} ${goQuote(name)}: ${why}`,
    detailsOf(qualifiedResource, name),
  )
}

/** 403 Forbidden. `why` ends the message. */
export function forbidden(qualifiedResource: GroupResource, name: string, why: string): ApiError {
  const subject = name === '' ? groupResourceText(qualifiedResource) : `${groupResourceText(qualifiedResource)} ${goQuote(name)}`
  // A path that is not of a resource has no name in the message.
  const beginning = qualifiedResource.group === '' && qualifiedResource.resource === '' ? 'forbidden' : `${subject} is forbidden`
  return new ApiError(403, 'Forbidden', `${beginning}: ${why}`, detailsOf(qualifiedResource, name))
}

/** 422 Invalid: the object breaks these rules of its kind. All errors are reported at once, up to a bound. */
export function invalid(qualifiedKind: GroupKind, name: string, errors: readonly FieldError[]): ApiError {
  const kind = qualifiedKind.group === '' ? qualifiedKind.kind : `${qualifiedKind.kind}.${qualifiedKind.group}`
  const reported = reportedErrors(errors)
  return new ApiError(422, 'Invalid', `${kind} ${goQuote(name)} is invalid: ${aggregate(reported)}`, {
    ...(name !== '' && { name }),
    ...(qualifiedKind.group !== '' && { group: qualifiedKind.group }),
    ...(qualifiedKind.kind !== '' && { kind: qualifiedKind.kind }),
    causes: reported.map(causeOf),
  })
}

/** 400 BadRequest: the request is wrong in any state of the server. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message)
}

/** 400 BadRequest: the path of a namespaced resource has no namespace. */
export function namespaceRequired(): ApiError {
  return badRequest('Namespace parameter required.')
}

/** 410 Expired: the requested resourceVersion is older than the history. */
export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message)
}

/** 500 InternalError with a message that clients may see. Other errors become a 500 without their message. */
export function internalError(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}

/** 504 Timeout: the requested state was not reached in time. */
export function timeout(message: string): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: ${message}`, {})
}

/** 404 NotFound: the path, resource or version does not exist. */
export function unknownResource(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {})
}

/** 405 MethodNotAllowed: the path exists, but does not support the method. */
export function methodNotAllowed(): ApiError {
  return new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
}

/** 503 ServiceUnavailable: another part of the server has another release, while a release is rolled out. Clients retry. */
export function otherRelease(): ApiError {
  const message = 'the server is being upgraded: its parts have different releases'
  return new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 })
}

/**
 * 503 ServiceUnavailable: another cluster has the name of the one that a Worker knows. The body of the request is left unread: the
 * request is performed again in the new cluster.
 */
export class ClusterReplaced extends ApiError {
  constructor() {
    super(503, 'ServiceUnavailable', 'the cluster was replaced by another one with the same name', { retryAfterSeconds: 1 })
  }
}

/** 503 ServiceUnavailable: the cluster is in another jurisdiction than the object that was asked. */
export class ClusterElsewhere extends ApiError {
  readonly jurisdiction: string

  constructor(jurisdiction: string) {
    super(503, 'ServiceUnavailable', `the cluster is in the jurisdiction ${jurisdiction}`, { retryAfterSeconds: 1 })
    this.jurisdiction = jurisdiction
  }
}

/** The message for a request that was rejected because too many others are being served. */
export const tooManyRequestsMessage = 'Too many requests, please try again later.'

/** 429 TooManyRequests: the request is rejected for now. */
export function tooManyRequests(): ApiError {
  return new ApiError(429, 'TooManyRequests', tooManyRequestsMessage, { retryAfterSeconds: 1 })
}
