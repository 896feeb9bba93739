/** An API server that answers at once, and counts the requests for its resources. */

/** The path of the number of requests so far, as JSON. */
export const countPath = '/count'

let count = 0

/** Answers a request. */
export function liveServer(request: { readonly url: string }): Response {
  const { pathname } = new URL(request.url)
  if (pathname === countPath) return Response.json(count)
  if (pathname !== '/apis/live.example.com/v1') return new Response('nothing here', { status: 404 })
  count++
  return Response.json({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'live.example.com/v1', resources: [] })
}
