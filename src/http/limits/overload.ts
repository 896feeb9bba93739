/**
 * What the runtime throws where a Durable Object cannot answer, and what a client is told: to come again. Follows "Error handling" of
 * the documentation of Durable Objects.
 */
import { ApiError, tooManyRequests } from '../../meta/errors.ts'

/** What the runtime writes on the errors of a stub. */
interface RuntimeError {
  /** The object has more to do than it can: it has not looked at this request. */
  readonly overloaded?: boolean
  /** The connection or the object has gone: what became of the request is not known. */
  readonly retryable?: boolean
  /** The object was ended, for its memory or its time, or because there is a new version of its code. */
  readonly durableObjectReset?: boolean
}

/** In which order the marks count. */
const answers: readonly (readonly [keyof RuntimeError, () => ApiError])[] = [
  ['overloaded', tooManyRequests],
  ['durableObjectReset', () => unavailable()],
  ['retryable', () => unavailable()],
]

/** Texts of the runtime that come without a mark in some of its versions. */
const texts: readonly (readonly [RegExp, keyof RuntimeError])[] = [
  [/^Durable Object is overloaded\b/, 'overloaded'],
  [/^Durable Object storage operation exceeded timeout which caused object to be reset\b/, 'durableObjectReset'],
  [
    /^Durable Object (?:exceeded its \w+(?: time)? limit and was reset|reset because its code was updated)\b/,
    'durableObjectReset',
  ],
  [/^Network connection lost\b/, 'retryable'],
  [/^Cannot resolve Durable Object due to transient issue\b/, 'retryable'],
]

function unavailable(): ApiError {
  return new ApiError(503, 'ServiceUnavailable', 'the server is currently unable to handle the request', { retryAfterSeconds: 1 })
}

/** The answer to an error of the runtime that passes by itself; undefined for any other. */
export function overloadError(thrown: unknown): ApiError | undefined {
  if (!(thrown instanceof Error) || thrown instanceof ApiError) return undefined
  const marked = thrown as Error & RuntimeError
  const textual = texts.find(([pattern]) => pattern.test(thrown.message))?.[1]
  return answers.find(([mark]) => marked[mark] === true || textual === mark)?.[1]()
}
