/**
 * Errors as the Kubernetes API shows them: one type, thrown anywhere below http/, rendered in http/status.ts only.
 * Follows "HTTP Status codes" and "Response Status Kind" of the API conventions.
 */

import { goQuote } from '../go/text.ts'
import type { FieldError, StatusCause } from './field-error.ts'
import { aggregate, causeOf } from './field-error.ts'

/** `details` of a Status. */
export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/** Names a group and a resource: what most messages speak of (`deployments.apps`). */
export interface GroupResource {
  readonly group: string
  readonly resource: string
}

/** Names a group and a kind: what messages about invalid objects speak of (`Deployment.apps`). */
export interface GroupKind {
  readonly group: string
  readonly kind: string
}

/** `configmaps`, `deployments.apps`. */
export function groupResourceText(of: GroupResource): string {
  return of.group === '' ? of.resource : `${of.resource}.${of.group}`
}

/** An error with everything that a Status holds. `code` is the HTTP status, `reason` is '' where kube-apiserver sends none. */
export class ApiError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  /** `metadata.continue`: where a list may go on whose own token has expired. */
  readonly continue: string | undefined
  /** What the client is to be told besides. */
  warnings: readonly string[] = []

  constructor(code: number, reason: string, message: string, details?: StatusDetails, continueToken?: string) {
    super(message)
    this.code = code
    this.reason = reason
    this.details = details
    this.continue = continueToken
  }

  /** The same error, whose client is told of these first. */
  warning(texts: readonly string[]): this {
    this.warnings = [...texts, ...this.warnings]
    return this
  }
}

/** Runs an act whose client is to be told of `warnings`, also where it is refused. */
export async function warnedOf<T>(warnings: readonly string[], act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ApiError) error.warning(warnings)
    throw error
  }
}

/** The details of an error about one object. */
export const about = (of: GroupResource, name: string): StatusDetails => ({
  ...(name !== '' && { name }),
  ...(of.group !== '' && { group: of.group }),
  ...(of.resource !== '' && { kind: of.resource }),
})

/** 404: the object does not exist. */
export function notFound(of: GroupResource, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${groupResourceText(of)} ${goQuote(name)} not found`, about(of, name))
}

/** 409: an object of that name exists. */
export function alreadyExists(of: GroupResource, name: string): ApiError {
  return new ApiError(409, 'AlreadyExists', `${groupResourceText(of)} ${goQuote(name)} already exists`, about(of, name))
}

/** 409: the write lost against another one, or a precondition does not hold. `why` ends the sentence. */
export function conflict(of: GroupResource, name: string, why: string): ApiError {
  return new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${groupResourceText(of)} ${goQuote(name)}: ${why}`,
    about(of, name),
  )
}

/** 403: `why` ends the sentence. */
export function forbidden(of: GroupResource, name: string, why: string): ApiError {
  const subject = name === '' ? groupResourceText(of) : `${groupResourceText(of)} ${goQuote(name)}`
  // What is no resource has no name in the sentence.
  const beginning = of.group === '' && of.resource === '' ? 'forbidden' : `${subject} is forbidden`
  return new ApiError(403, 'Forbidden', `${beginning}: ${why}`, about(of, name))
}

/** 422: the object breaks rules of its kind; all of them at once. */
export function invalid(of: GroupKind, name: string, errors: readonly FieldError[]): ApiError {
  const kind = of.group === '' ? of.kind : `${of.kind}.${of.group}`
  return new ApiError(422, 'Invalid', `${kind} ${goQuote(name)} is invalid: ${aggregate(errors)}`, {
    ...(name !== '' && { name }),
    ...(of.group !== '' && { group: of.group }),
    ...(of.kind !== '' && { kind: of.kind }),
    causes: errors.map(causeOf),
  })
}

/** 400: the request makes no sense whatever the state of the server. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message)
}

/** 400: the path names no namespace for what is in one. */
export function namespaceRequired(): ApiError {
  return badRequest('Namespace parameter required.')
}

/** 410: the asked resourceVersion is older than the history kept. */
export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message)
}

/** 500 with a text that a client may see. Other errors become a 500 without one. */
export function internalError(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}

/** 504: what was asked for has not come about in time. */
export function timeout(message: string): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: ${message}`, {})
}

/** 404: no such path, resource or version. */
export function unknownResource(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {})
}

/** 405: the path is there, the method is not. */
export function methodNotAllowed(): ApiError {
  return new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
}

/** What everybody is told who has to come again because others are being served. */
export const tooManyRequestsMessage = 'Too many requests, please try again later.'

/** 429: there is no room for the request now. */
export function tooManyRequests(): ApiError {
  return new ApiError(429, 'TooManyRequests', tooManyRequestsMessage, { retryAfterSeconds: 1 })
}
