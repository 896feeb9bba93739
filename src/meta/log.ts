/** The log of errors: one line each, without secrets. Workers Logs, or the standard error of the local server. */

/** The longest line, in characters: a message may quote a rejected value of any length. */
const longest = 2000

/** Bearer tokens, tokens in JWT form and what begins like one, and private keys. */
const secrets = /Bearer\s+[\w.~+/=-]+|\beyJ[\w-]{8,}(?:\.[\w-]*)*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END|$)/g

/** Describes an error with its stack, which the runtime writes in several lines. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { name, message, stack = '' } = error
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return [`${name}: ${message}`, ...frames.map((frame) => frame.trim())].join(' ')
}

/**
 * Returns the line for an error. Fields of the error are left out: those of an ApiError may hold parts of a request.
 * @example
 * errorLine('keys of https://issuer.example', new Error('timeout')) // 'keys of https://issuer.example: Error: timeout at …'
 */
export function errorLine(context: string, error: unknown): string {
  const line = `${context}: ${describe(error)}`.replace(secrets, '[removed]').replace(/[\r\n\u2028\u2029]+/g, ' ')
  return line.length <= longest ? line : `${line.slice(0, longest)}…`
}

/** Logs an error. */
export function logError(context: string, error: unknown): void {
  console.error(errorLine(context, error))
}

/** Logs a warning for the operator. It must be one line, and hold nothing from a request. */
export function logWarning(warning: string): void {
  console.warn(warning)
}
