/** The contract of the filters in the handler chain: the variables of a request, and the filter that sets each. */

import type { Context, MiddlewareHandler } from 'hono'
import type { Attributes } from '../../auth/attributes.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { ClusterAddress } from '../../clusters/cluster-path.ts'
import type { ReadAhead } from '../../clusters/read-ahead.ts'
import type { JsonObject } from '../../go/json-value.ts'
import type { User } from '../../meta/user.ts'
import type { RequestAudit } from '../audit/request-audit.ts'
import type { Releases } from '../limits/releases.ts'
import type { Suspension } from '../limits/suspension.ts'
import type { RequestInfo } from '../request-info.ts'

/** An error to which the server has responded. */
export interface AnsweredError {
  /** The Status in the response. */
  readonly status: JsonObject
  /** False for a bug of the server: its text is in the log and not in the Status. */
  readonly isForeseen: boolean
}

/** The time for which a request waited for others: webhooks, and seats of its priority level. */
export interface Delays {
  seconds: number
}

/**
 * The way in which a client gives its credentials. `ambient`: a browser may add them by itself to requests of every page, as it does
 * for Cloudflare Access. A client certificate is not among them: kube-apiserver takes it from every page, too.
 */
export type Credential = 'explicit' | 'ambient'

/** The variables of a request. The named filter sets each once; the filters and handlers inside it can read it. */
export interface RequestVariables {
  /** withAuditInit: the id of the request for the client and the audit log. */
  readonly auditId: string
  /** withAuditInit: headers of the response. Inner filters may add some. Collections add them to their responses. */
  readonly responseHeaders: Record<string, string>
  /** withRequestReceivedTimestamp: milliseconds since the epoch. */
  readonly receivedAt: number
  /** withRequestInfo: the cluster of the URL, and the path within it. */
  readonly address: ClusterAddress
  /** withRequestInfo. */
  readonly info: RequestInfo
  /** withRequestInfo: the parameters of the URL. */
  readonly query: URLSearchParams
  /** withRequestInfo: the attributes for authorization, audit and flow control. */
  readonly attributes: Attributes
  /** withRequestMetrics: undefined if requests are not counted. The filters and handlers that wait add to it. */
  readonly delays: Delays | undefined
  /** withWaitGroup. */
  readonly releases: Releases
  /** withRequestDeadline: milliseconds since the epoch; undefined for long-running requests. */
  readonly deadline: number | undefined
  /** withWarningRecorder: the texts of Warning headers. */
  readonly warnings: string[]
  /** withPolicy: the number of policy renewals that had begun when the request arrived. */
  readonly arrivedAfter: number | undefined
  /** withPolicy: the read that may be sent with a renewal of the policy; undefined if the request is no such read. */
  readonly readAhead: ReadAhead | undefined
  /** withAuthentication: the sender of the request; undefined before it. */
  readonly authenticatedUser: User | undefined
  /** withAuthentication: the way in which the client gave its credentials. */
  readonly credential: Credential
  /** withAudit: undefined if the request is not recorded. */
  readonly audit: RequestAudit | undefined
  /** withImpersonation: the effective user of the request. */
  readonly user: User
  /** withPast: the time whose state is read, in milliseconds since the epoch; undefined for the present. */
  readonly time: number | undefined
  /** The handler of resources: the kind that the path names; undefined for other paths. */
  readonly kind: Kind | undefined
  /** The error handler: undefined if no error was thrown. */
  readonly answeredError: AnsweredError | undefined
}

/** Receives the response to a HEAD, before Hono copies it without its body. */
export type KeepResponse = (response: Response) => void

/**
 * The attempts to answer one request for a named cluster. If it turns out that another cluster has the name now, the server of that
 * one makes a second attempt: the client gets one response, and the audit log one record.
 */
export interface Attempts {
  /** Set by the error handler: the objects of the cluster have refused the request, and its body is unread. */
  isRefused: boolean
  /** withAuditInit: the id of the request. */
  auditId: string | undefined
  /** withAudit: whether the stage RequestReceived is recorded. */
  isReceived: boolean
}

/** The bindings that the Worker passes to an app with a request. */
export interface RequestBindings {
  /** Set for HEAD requests. */
  readonly keepResponse?: KeepResponse
  /** Set in named clusters. */
  readonly attempts?: Attempts
  /** Absent in tests: the request is prepared to wait from its beginning. */
  readonly suspension?: Suspension
}

/** Hono's type parameter of the API server's apps. */
export interface HttpEnvironment {
  readonly Bindings: RequestBindings
  readonly Variables: RequestVariables
}

/** The context of one request. Read variables with `get`: `var` copies all of them at each access. */
export type RequestContext = Context<HttpEnvironment>

/**
 * A filter of the handler chain. Every request passes all filters. A filter without work after `next` must be a non-async
 * function that returns the promise of `next`, and an async filter must await it: `return next()` in an async function costs
 * three turns of the event loop.
 */
export type Filter = MiddlewareHandler<HttpEnvironment>

/** Replaces the response of an inner filter. Setting it directly would merge the headers of both, because Hono does. */
export function replaceResponse(c: RequestContext, response: Response): void {
  c.res = undefined
  c.res = response
}
