/** Responses to HEAD as the runtime expects them: with their body, whose length it tells and which it does not send. */
import type { HonoBase } from 'hono/hono-base'
import type { Filter, HttpEnvironment } from './filter.ts'

/** Hono answers HEAD with a copy without a body, and the header Content-Length is lost. The responses themselves are kept here. */
const headResponses = new WeakMap<Request, Response>()

/** Keeps the response to HEAD. It must be the outermost filter: it reads the response that goes out. */
export const withHeadResponse: Filter = (c, next) =>
  c.req.raw.method === 'HEAD' ? next().then(() => void headResponses.set(c.req.raw, c.res)) : next()

/** Answers a request by the app, a HEAD with the response of its filters. Never rejects. */
export function respondTo(app: HonoBase<HttpEnvironment>, request: Request, context: ExecutionContext): Promise<Response> {
  const response = Promise.resolve(app.fetch(request, undefined, context))
  return request.method === 'HEAD' ? response.then((copy) => headResponses.get(request) ?? copy) : response
}
