/** A server of some filters alone, as tests need it. */
import { Hono } from 'hono'
import { onError } from '../on-error.ts'
import { withAuditInit } from './audit-init.ts'
import type { Filter, HttpEnvironment, RequestVariables } from './filter.ts'
import { withRequestInfo } from './request-info.ts'
import { withRequestReceivedTimestamp } from './request-received-timestamp.ts'

/** Promises that the server was told to wait for. */
export const waited: Promise<unknown>[] = []

/** An execution context that collects them. */
export const context = {
  waitUntil: (work: Promise<unknown>) => void waited.push(work),
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext

/** Sets variables in the place of filters that a test leaves out. */
export const withVariables =
  (variables: Partial<RequestVariables>): Filter =>
  (c, next) => {
    for (const [name, value] of Object.entries(variables)) c.set(name as 'auditId', value as string)
    return next()
  }

/** The outermost filters, then those of the test, then a handler that answers 200 and the user's name. */
export function serverOf(...filters: readonly Filter[]): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.use(withAuditInit(undefined), withRequestReceivedTimestamp, withRequestInfo, ...filters)
  app.all('*', (c) => new Response(c.get('user')?.name ?? 'nobody'))
  app.onError(onError)
  return app
}
