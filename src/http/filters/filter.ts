/** The contract between the filters of the handler chain: the variables of a request, and which filter sets each. */
import type { Context, MiddlewareHandler } from 'hono'
import type { Attributes } from '../../auth/attributes.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { JsonObject } from '../../go/json-value.ts'
import type { User } from '../../meta/user.ts'
import type { RequestAudit } from '../audit/request-audit.ts'
import type { Releases } from '../limits/releases.ts'
import type { RequestInfo } from '../request-info.ts'

/** An error that was answered. */
export interface AnsweredError {
  /** The Status that the client got. */
  readonly status: JsonObject
  /** False for a defect of the server: its text is in the log and not in the Status. */
  readonly isForeseen: boolean
}

/** Variables of a request. Each is set once, by the filter that is named, and can be read by the filters and handlers inside it. */
export interface RequestVariables {
  /** withAuditInit: by this id the client and the audit log speak of the request. */
  readonly auditId: string
  /** withAuditInit: headers of the response, to which filters inside may add. Collections write them on their answers. */
  readonly responseHeaders: Record<string, string>
  /** withRequestReceivedTimestamp: milliseconds since the epoch. */
  readonly receivedAt: number
  /** withRequestInfo. */
  readonly info: RequestInfo
  /** withRequestInfo: the parameters of the URL. */
  readonly query: URLSearchParams
  /** withRequestInfo: the attributes that authorization, audit and flow control decide by. */
  readonly attributes: Attributes
  /** withWaitGroup. */
  readonly releases: Releases
  /** withRequestDeadline: milliseconds since the epoch; undefined for long-running requests. */
  readonly deadline: number | undefined
  /** withWarningRecorder: texts that become Warning headers. */
  readonly warnings: string[]
  /** withAuthentication: the sender of the request; undefined outside and before it. */
  readonly authenticatedUser: User | undefined
  /** withAudit: undefined if the request is not recorded. */
  readonly audit: RequestAudit | undefined
  /** withImpersonation: the user as whom the request runs. */
  readonly user: User
  /** The handler of resources: the kind that the path names; undefined for other paths. */
  readonly kind: Kind | undefined
  /** The error handler: undefined if no error was thrown. */
  readonly answeredError: AnsweredError | undefined
}

/** Takes the response to a HEAD, before Hono copies it without its body. */
export type KeepResponse = (response: Response) => void

/** Hono's type parameter of the API server's apps. */
export interface HttpEnvironment {
  /** A HEAD comes with keepResponse. */
  readonly Bindings: { readonly keepResponse?: KeepResponse }
  readonly Variables: RequestVariables
}

/** One request on its way through the chain. Read variables by `get`: `var` copies all of them on each access. */
export type RequestContext = Context<HttpEnvironment>

/**
 * A filter of the handler chain. Every request passes all of them, so a filter that does nothing after `next` returns its promise
 * from a function that is not async, and an async one awaits it: `return next()` from an async function costs three turns.
 */
export type Filter = MiddlewareHandler<HttpEnvironment>

/** Replaces a response that a filter inside has given. Hono merges the headers of an earlier response into one that is set over it. */
export function replaceResponse(c: RequestContext, response: Response): void {
  c.res = undefined
  c.res = response
}
