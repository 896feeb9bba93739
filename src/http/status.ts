/** Renders errors as a Status with an HTTP code. No other file does. */

import type { JsonObject } from '../go/json-value.ts'
import { ApiError, timeout, tooManyRequestsMessage } from '../meta/errors.ts'
import { logError } from '../meta/log.ts'
import { newUid } from '../meta/uid.ts'
import { overloadError } from './limits/overload.ts'
import { addWarnings } from './verbs/respond.ts'

/** Returns the Status of an error, with fields in the order in which Go encodes them. */
export function statusOf(error: ApiError): JsonObject {
  const details = error.details
  return JSON.parse(
    JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: error.continue === undefined ? {} : { continue: error.continue },
      status: 'Failure',
      message: error.message,
      ...(error.reason !== '' && { reason: error.reason }),
      ...(details !== undefined && {
        details: {
          ...(details.name !== undefined && { name: details.name }),
          ...(details.group !== undefined && { group: details.group }),
          ...(details.kind !== undefined && { kind: details.kind }),
          ...(details.uid !== undefined && { uid: details.uid }),
          ...(details.causes !== undefined && { causes: details.causes }),
          ...(details.retryAfterSeconds !== undefined && { retryAfterSeconds: details.retryAfterSeconds }),
        },
      }),
      code: error.code,
    }),
  ) as JsonObject
}

/**
 * Returns the response to a request that exceeded its timeout. kube-apiserver writes it outside its handlers, without
 * negotiation: no media type, and a Status without kind and apiVersion.
 */
export function requestTimedOut(): Response {
  const { kind, apiVersion, ...status } = statusOf(timeout('request did not complete within the allotted timeout'))
  return new Response(`${JSON.stringify(status)}\n`, {
    status: 504,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, private' },
  })
}

/**
 * Returns a 429 response with Retry-After. As in kube-apiserver it is a text page and not a Status: clients check only the code.
 */
export function tooManyRequests(retryAfterSeconds: number): Response {
  return new Response(`${tooManyRequestsMessage}\n`, {
    status: 429,
    headers: {
      'retry-after': String(retryAfterSeconds),
      'cache-control': 'no-cache, private',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    },
  })
}

/** Returns the part of a thrown error that clients may see; undefined for an unexpected error. */
export function foreseen(thrown: unknown): ApiError | undefined {
  return thrown instanceof ApiError ? thrown : overloadError(thrown)
}

/** Returns the error of an unexpected exception: its text is only in the log, under an id that the client receives. */
function unforeseen(error: unknown): ApiError {
  const id = newUid()
  logError(`error ${id}`, error)
  return new ApiError(500, 'InternalError', `Internal error occurred: error id ${id}`, {
    causes: [{ message: `error id ${id}` }],
  })
}

/**
 * Renders any thrown value.
 * @param encode returns the body in a media type that the client accepts, with the headers that describe it
 */
export function errorStatus(
  thrown: unknown,
  encode: (status: JsonObject) => { readonly body: BodyInit; readonly headers: Readonly<Record<string, string>> },
): Response {
  const error = foreseen(thrown) ?? unforeseen(thrown)
  const { body, headers } = encode(statusOf(error))
  const retry = error.details?.retryAfterSeconds
  const all = new Headers(headers)
  all.set('cache-control', 'no-cache, private')
  if (retry !== undefined && retry > 0) all.set('retry-after', String(retry))
  addWarnings(all, error.warnings)
  return new Response(body, { status: error.code, headers: all })
}
