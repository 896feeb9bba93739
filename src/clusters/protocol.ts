/**
 * The protocol between Workers and Durable Objects: the URLs of inner requests contain its number. While a release is rolled out,
 * and in a gradual deployment, a Worker meets objects of another release, and the reverse (docs/upgrades.md).
 */
import { ApiError, otherRelease } from '../meta/errors.ts'
import { errorResponse } from './wire-error.ts'

/**
 * The number of this release's protocol. It is raised by a change that the other side would misunderstand: a changed meaning, a
 * removed field, a new one without which the answer would be wrong. Further fields that may be ignored, verbs, paths and lookups
 * do not raise it.
 */
export const protocol = 2

/** The path under which the paths of all messages are. */
export const protocolPath = `/v${protocol}`

/** The URL of operations on a collection. The host has no meaning, because the stub decides the destination. */
export const collectionUrl = `http://collection${protocolPath}`

/** A Durable Object as its callers see it. */
export type InnerStub = Pick<DurableObjectStub, 'fetch'>

/** Returns a stub that adds headers to each request. */
export const withHeaders = (stub: InnerStub, headers: Readonly<Record<string, string>>): InnerStub => ({
  fetch: (input, init) => {
    const request = new Request(input, init)
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
    return stub.fetch(request)
  },
})

/** The maximum number of requests to an object that restarts between them. */
const mostRequests = 5

/**
 * Repeats a request that makes an object end itself and fail its requests, until it is answered.
 * @throws ApiError of the Durable Object, and the last error if the object does not answer
 */
export async function repeated<T>(request: () => Promise<T>): Promise<T> {
  for (let remaining = mostRequests; ; remaining--) {
    try {
      return await request()
    } catch (error) {
      if (error instanceof ApiError || remaining === 1) throw error
    }
  }
}

/**
 * The header of inner requests with the uid of the named cluster that the caller means, and of a control object's answers with its
 * uid. An object of another cluster with the same name refuses the request.
 */
export const clusterUidHeader = 'edgeplane-cluster'

/** Returns the response of a Durable Object to a request that its release does not know. */
export const unknownRequest = (): Response => errorResponse(otherRelease())
