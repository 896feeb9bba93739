/** WithCORS: allows pages of other origins to read responses. */
import { patternError, patternOf } from '../../crd/schema/pattern.ts'
import type { Filter } from './filter.ts'

const corsHeaders = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
}

/**
 * Whether an expression is anchored on both sides of the host. An expression without anchors would also allow hosts that only
 * contain the intended host. The colon after the scheme is not an anchor.
 */
function isAnchored(expression: string): boolean {
  const host = expression.slice(expression.indexOf('//') + 1)
  return (expression.includes('^') || expression.includes('//')) && (host.includes('$') || host.includes(':'))
}

/** The expressions are the operator's, and a header is short. */
const unlimited = (): void => undefined

/** Whether an origin may read responses. */
export type AllowedOrigins = (origin: string) => boolean

/**
 * Parses --cors-allowed-origins.
 * @param expressions regular expressions, separated by commas
 * @returns undefined if the list is empty
 * @throws Error for an expression that RE2 cannot compile or that is not anchored
 */
export function readAllowedOrigins(expressions: string): AllowedOrigins | undefined {
  if (expressions === '') return undefined
  const all = expressions.split(',')
  const open = all.find((expression) => !isAnchored(expression))
  if (open !== undefined) throw new Error(`allowed origin ${open}: it must begin with ^ or hold //, and end with $ or hold (:|$)`)
  for (const expression of all) {
    const problem = patternError(expression)
    if (problem !== undefined) throw new Error(problem)
  }
  const patterns = all.map(patternOf)
  return (origin) => patterns.some((matches) => matches(origin, unlimited))
}

/** Adds the CORS headers for an allowed Origin, and responds to its preflight requests, which have no credentials. */
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
