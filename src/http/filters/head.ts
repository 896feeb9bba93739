/** Responses to HEAD in the form that the runtime needs: with a body. The runtime sends its Content-Length but not the body. */
import type { HonoBase } from 'hono/hono-base'
import type { Filter, HttpEnvironment, KeepResponse, RequestBindings } from './filter.ts'

/** Keeps the response to HEAD for respondTo. It must be the outermost filter, because it reads the final response. */
export const withHeadResponse: Filter = (c, next) => {
  const keepResponse = c.env.keepResponse
  return keepResponse === undefined ? next() : next().then(() => keepResponse(c.res))
}

/** Hono responds to HEAD with a copy without body and Content-Length, so the response itself is kept. */
async function respondToHead(
  app: HonoBase<HttpEnvironment>,
  request: Request,
  context: ExecutionContext,
  bindings: RequestBindings,
): Promise<Response> {
  let kept: Response | undefined
  const keepResponse: KeepResponse = (response) => {
    kept = response
  }
  const copy = await app.fetch(request, { ...bindings, keepResponse }, context)
  return kept ?? copy
}

const noBindings = {}

/** Returns the app's response to a request; for HEAD, the response of its filters with the body. Never rejects. */
export function respondTo(
  app: HonoBase<HttpEnvironment>,
  request: Request,
  context: ExecutionContext,
  bindings: RequestBindings = noBindings,
): Promise<Response> {
  if (request.method === 'HEAD') return respondToHead(app, request, context, bindings)
  return Promise.resolve(app.fetch(request, bindings, context))
}
