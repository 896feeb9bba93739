/** Responses to HEAD as the runtime expects them: with their body, whose length it tells and which it does not send. */
import type { HonoBase } from 'hono/hono-base'
import type { Filter, HttpEnvironment, KeepResponse } from './filter.ts'

/** Keeps the response to HEAD for respondTo. It must be the outermost filter: it reads the response that goes out. */
export const withHeadResponse: Filter = (c, next) => {
  const keepResponse = c.env.keepResponse
  return keepResponse === undefined ? next() : next().then(() => keepResponse(c.res))
}

/** Hono answers HEAD with a copy without a body, and the header Content-Length is lost: the response itself is kept. */
async function respondToHead(app: HonoBase<HttpEnvironment>, request: Request, context: ExecutionContext): Promise<Response> {
  let kept: Response | undefined
  const keepResponse: KeepResponse = (response) => {
    kept = response
  }
  const copy = await app.fetch(request, { keepResponse }, context)
  return kept ?? copy
}

const noBindings = {}

/** Answers a request by the app, a HEAD with the response of its filters. Never rejects. */
export function respondTo(app: HonoBase<HttpEnvironment>, request: Request, context: ExecutionContext): Promise<Response> {
  if (request.method === 'HEAD') return respondToHead(app, request, context)
  return Promise.resolve(app.fetch(request, noBindings, context))
}
