/** WithCORS: lets pages of other origins read responses. */
import { RE2JS } from 're2js'
import type { Filter } from './filter.ts'

const corsHeaders = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
}

/**
 * Tells whether an expression has an end on both sides of the host: one that has not would allow hosts that only contain the host
 * that is meant. The colon behind the scheme is no end.
 */
function isAnchored(expression: string): boolean {
  const host = expression.slice(expression.indexOf('//') + 1)
  return (expression.includes('^') || expression.includes('//')) && (host.includes('$') || host.includes(':'))
}

/** Tells whether an origin may read responses. */
export type AllowedOrigins = (origin: string) => boolean

/**
 * Reads --cors-allowed-origins.
 * @param expressions regular expressions, separated by commas
 * @returns undefined if there are none
 * @throws Error for an expression that RE2 cannot read, or that is open at one of its ends
 */
export function readAllowedOrigins(expressions: string): AllowedOrigins | undefined {
  if (expressions === '') return undefined
  const all = expressions.split(',')
  const open = all.find((expression) => !isAnchored(expression))
  if (open !== undefined) throw new Error(`allowed origin ${open}: it must begin with ^ or hold //, and end with $ or hold (:|$)`)
  const compiled = all.map((expression) => RE2JS.compile(expression))
  return (origin) => compiled.some((expression) => expression.matcher(origin).find())
}

/** Adds the headers for an allowed Origin, and answers its preflight requests: these have no credentials. */
export function withCORS(isAllowed: AllowedOrigins): Filter {
  return (c, next) => {
    const request = c.req.raw
    const origin = request.headers.get('origin') ?? ''
    if (origin === '' || !isAllowed(origin)) return next()
    Object.assign(c.get('responseHeaders'), { 'access-control-allow-origin': origin }, corsHeaders)
    if (request.method !== 'OPTIONS') return next()
    return Promise.resolve(new Response(null, { status: 204, headers: { 'cache-control': 'no-cache, private' } }))
  }
}
