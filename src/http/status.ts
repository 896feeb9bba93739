/** The only place where an error becomes a Status and an HTTP code. */

import type { JsonObject } from '../go/json-value.ts'
import { ApiError, timeout, tooManyRequestsMessage } from '../meta/errors.ts'
import { newUid } from '../meta/uid.ts'
import { overloadError } from './limits/overload.ts'
import { addWarnings } from './verbs/respond.ts'

/** The Status object of an error, in the order in which Go encodes it. */
function statusOf(error: ApiError): JsonObject {
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
 * The answer to a request that did not complete in its time. kube-apiserver writes it outside of its handlers, where nothing is
 * negotiated: no media type, and a Status that does not say that it is one.
 */
export function requestTimedOut(): Response {
  const { kind, apiVersion, ...status } = statusOf(timeout('request did not complete within the allotted timeout'))
  return new Response(`${JSON.stringify(status)}\n`, {
    status: 504,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, private' },
  })
}

/** Refuses a request that has to come again later. As kube-apiserver's it is a page and no Status: clients tell it by the code. */
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

/** What of a thrown error is meant for clients; undefined for one that nobody foresaw. */
export function foreseen(thrown: unknown): ApiError | undefined {
  return thrown instanceof ApiError ? thrown : overloadError(thrown)
}

/** An error that nobody foresaw: its text stays in the log, under an id that the client is told. */
function unforeseen(error: unknown): ApiError {
  const id = newUid()
  console.error(`error ${id}:`, error)
  return new ApiError(500, 'InternalError', `Internal error occurred: error id ${id}`, {
    causes: [{ message: `error id ${id}` }],
  })
}

/**
 * Renders whatever was thrown.
 * @param encode gives the body in the media type that the client accepts, and the headers that tell of it
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
  if (error.code === 403) all.set('x-content-type-options', 'nosniff')
  addWarnings(all, error.warnings)
  return new Response(body, { status: error.code, headers: all })
}
