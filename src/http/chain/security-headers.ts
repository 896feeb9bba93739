/** Headers for browsers: which other origins may ask, and that they ask over TLS only. Follows apiserver's CORS and HSTS filters. */
import { RE2JS } from 're2js'

/** What a deployment says to browsers. */
export interface SecurityHeaders {
  /** Regular expressions, separated by commas, of the origins that may ask; '' for none. */
  readonly corsAllowedOrigins: string
  /** Directives of Strict-Transport-Security, separated by commas; '' for no such header. */
  readonly strictTransportSecurity: string
}

const corsHeaders = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
}

/**
 * Whether an expression says where the host begins and where it ends: one that does not would let in hosts that only contain what was
 * meant. The colon behind the scheme says nothing of the end.
 */
function isAnchored(expression: string): boolean {
  const host = expression.slice(expression.indexOf('//') + 1)
  return (expression.includes('^') || expression.includes('//')) && (host.includes('$') || host.includes(':'))
}

/** A deployment's headers for browsers. */
export class BrowserHeaders {
  readonly #origins: readonly RE2JS[]
  readonly #always: Readonly<Record<string, string>>

  /** @throws Error for an expression that RE2 does not read, or that is open at one of its ends */
  constructor({ corsAllowedOrigins, strictTransportSecurity }: SecurityHeaders) {
    const expressions = corsAllowedOrigins === '' ? [] : corsAllowedOrigins.split(',')
    const open = expressions.find((expression) => !isAnchored(expression))
    if (open !== undefined)
      throw new Error(`allowed origin ${open}: it must begin with ^ or hold //, and end with $ or hold (:|$)`)
    this.#origins = expressions.map((expression) => RE2JS.compile(expression))
    const directives = strictTransportSecurity.split(',').join('; ')
    this.#always = directives === '' ? {} : { 'strict-transport-security': directives }
  }

  /** What every answer to the request carries. */
  of(request: Request): Readonly<Record<string, string>> {
    if (this.#origins.length === 0) return this.#always
    const origin = request.headers.get('origin') ?? ''
    if (!this.#isAllowed(origin)) return this.#always
    return { ...this.#always, 'access-control-allow-origin': origin, ...corsHeaders }
  }

  /** The answer to a browser that asks first whether it may ask; undefined for anything else. */
  preflight(request: Request, headers: Readonly<Record<string, string>>): Response | undefined {
    if (request.method !== 'OPTIONS' || headers['access-control-allow-origin'] === undefined) return undefined
    return new Response(null, { status: 204, headers: { 'cache-control': 'no-cache, private' } })
  }

  #isAllowed(origin: string): boolean {
    return origin !== '' && this.#origins.some((expression) => expression.matcher(origin).find())
  }
}
