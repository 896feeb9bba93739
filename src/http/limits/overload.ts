/**
 * Translates the errors that the runtime throws if a Durable Object cannot respond: the client is asked to retry. Follows "Error
 * handling" of the documentation of Durable Objects.
 */
import { ApiError, tooManyRequests } from '../../meta/errors.ts'

/** The properties that the runtime sets on the errors of a stub. */
interface RuntimeError {
  /** The object has too many requests: it has not begun this one. */
  readonly overloaded?: boolean
  /** The connection or the object was lost: it is unknown whether the request was processed. */
  readonly retryable?: boolean
  /** The object was reset, because of its memory, its CPU time, or a new version of its code. */
  readonly durableObjectReset?: boolean
}

/** The errors for these properties. The first property that is set decides. */
const answers: readonly (readonly [keyof RuntimeError, () => ApiError])[] = [
  ['overloaded', tooManyRequests],
  ['durableObjectReset', () => unavailable()],
  ['retryable', () => unavailable()],
]

/** Messages of errors that have none of the properties in some versions of the runtime. */
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

/** Returns the ApiError (429 or 503) for a transient error of the runtime, or undefined for any other error. */
export function overloadError(thrown: unknown): ApiError | undefined {
  if (!(thrown instanceof Error) || thrown instanceof ApiError) return undefined
  const marked = thrown as Error & RuntimeError
  const textual = texts.find(([pattern]) => pattern.test(thrown.message))?.[1]
  return answers.find(([mark]) => marked[mark] === true || textual === mark)?.[1]()
}
