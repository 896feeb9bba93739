/** The errors that a client makes of responses of other servers without a Status. Follows NewGenericServerResponse of k8s.io/apimachinery. */
import { goQuote } from '../go/text.ts'
import { ApiError, detailsOf, type GroupResource, groupResourceText } from './errors.ts'

interface Meaning {
  readonly reason: string
  readonly text: string
}

const meanings: Readonly<Record<number, Meaning>> = {
  400: { reason: 'BadRequest', text: 'the server rejected our request for an unknown reason' },
  401: { reason: 'Unauthorized', text: 'the server has asked for the client to provide credentials' },
  403: { reason: 'Forbidden', text: '' },
  404: { reason: 'NotFound', text: 'the server could not find the requested resource' },
  405: { reason: 'MethodNotAllowed', text: 'the server does not allow this method on the requested resource' },
  406: {
    reason: 'NotAcceptable',
    text: 'the server was unable to respond with a content type that the client supports',
  },
  409: { reason: 'Conflict', text: 'the server reported a conflict' },
  415: { reason: 'UnsupportedMediaType', text: '' },
  422: { reason: 'Invalid', text: 'the server rejected our request due to an error in our request' },
  429: { reason: 'TooManyRequests', text: 'the server has received too many requests and has asked us to try again later' },
  503: { reason: 'ServiceUnavailable', text: 'the server is currently unable to handle the request' },
  504: {
    reason: 'Timeout',
    text: 'the server was unable to return a response in the time allotted, but may still be processing the request',
  },
}

/** The codes for which the body is shown, because it says more than the code. */
const bodyShownFor: ReadonlySet<number> = new Set([403, 406, 415])

/** Returns the message for a code. @param bodyText the response; 'unknown' if it is not text */
export function serverResponseText(code: number, bodyText: string): string {
  const { text = undefined } = meanings[code] ?? {}
  if (bodyShownFor.has(code) && (code !== 406 || (bodyText !== '' && bodyText !== 'unknown'))) return bodyText
  if (text !== undefined) return text
  if (code >= 500) return `an error on the server (${goQuote(bodyText)}) has prevented the request from succeeding`
  return `the server responded with the status code ${code} but did not return more information`
}

/** Returns the error of a response about an object. */
export function genericServerResponse(code: number, qualifiedResource: GroupResource, name: string, bodyText: string): ApiError {
  const reason = meanings[code]?.reason ?? (code >= 500 ? 'InternalError' : '')
  // The verb between bracket and resource is empty.
  const message = `${serverResponseText(code, bodyText)} ( ${groupResourceText(qualifiedResource)} ${name})`
  return new ApiError(code, reason, message, detailsOf(qualifiedResource, name))
}
