/**
 * Serves the paths of discovery. /api and the paths of built-in versions allow only GET. /apis, the paths of groups and the paths
 * of custom resources' versions respond to every method, because kube-apiserver serves them outside its router.
 */
import { noCache } from '../codec/headers.ts'
import type { Output } from '../codec/negotiate.ts'
import { aggregatedDiscovery, asksFor, documentRule, negotiateOutput } from '../codec/negotiate.ts'
import { checkGetRoute, routes } from '../codec/route-media-types.ts'
import { withoutTrailingSlashes } from '../path.ts'
import type { Discovery } from './discovery.ts'
import { apiVersions } from './documents.ts'

async function answer(request: Request, make: (output: Output) => BodyInit | Promise<BodyInit>): Promise<Response> {
  const output = negotiateOutput(request, documentRule)
  return new Response(await make(output), { headers: { ...noCache, 'Content-Type': output.encoding.mediaType } })
}

/** Returns a document of aggregated discovery. Clients cache it and revalidate it by its ETag. */
async function answerAggregated(
  request: Request,
  path: '/api' | '/apis',
  discovery: Discovery,
  output: Output,
): Promise<Response> {
  const { bytes, entityTag } = await discovery.aggregated(path, output)
  const headers = { ETag: entityTag, Vary: 'Accept', 'Cache-Control': 'public' }
  if (request.headers.get('if-none-match') === entityTag) return new Response(null, { status: 304, headers })
  const contentType = `${output.encoding.mediaType};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`
  return new Response(bytes, { headers: { ...headers, 'Content-Type': contentType } })
}

function serveApi(request: Request, discovery: Discovery, serverAddress: string): Promise<Response> {
  checkGetRoute(request, routes.discovery)
  const aggregated = asksFor(request, aggregatedDiscovery)
  if (aggregated !== undefined) return answerAggregated(request, '/api', discovery, aggregated)
  return answer(request, (output) => output.encoding.value(apiVersions(serverAddress)))
}

function serveApis(request: Request, path: string, discovery: Discovery): Promise<Response> {
  const aggregated = path === '/apis' ? asksFor(request, aggregatedDiscovery) : undefined
  if (aggregated !== undefined) return answerAggregated(request, '/apis', discovery, aggregated)
  return answer(request, (output) => discovery.groupList(output))
}

/** Whether kube-apiserver's router serves the group: only the aggregator's own group, and paths that end with two slashes. */
const isGroupRoute = (path: string, group: string): boolean => group === 'apiregistration.k8s.io' || path.endsWith('//')

async function serveGroup(request: Request, path: string, discovery: Discovery, group: string): Promise<Response | undefined> {
  const origin = discovery.groupOrigin(group)
  if (group === '' || origin === undefined) return undefined
  if (origin === 'builtin' && isGroupRoute(path, group)) checkGetRoute(request, routes.discovery)
  return answer(request, async (output) => (await discovery.group(group, output)) ?? '')
}

async function serveVersion(
  request: Request,
  discovery: Discovery,
  group: string,
  version: string,
): Promise<Response | undefined> {
  const found = discovery.version(group, version)
  if (found === undefined) return undefined
  if (!found.custom) checkGetRoute(request, routes.discovery)
  return answer(request, (output) => discovery.resources(found, output))
}

/**
 * Returns the response to a path of discovery, or undefined for other paths.
 * @param path the request's path within its cluster
 * @param serverAddress the host:port at which clients reach the server
 * @throws ApiError 405, 406, 415
 */
export async function serveDiscovery(
  request: Request,
  path: string,
  discovery: Discovery,
  serverAddress: string,
): Promise<Response | undefined> {
  if (path === '/apis' || path === '/apis/') return serveApis(request, path, discovery)
  const [root, first = '', second = '', ...more] = withoutTrailingSlashes(path).slice(1).split('/')
  if (!path.startsWith('/') || more.length > 0) return undefined
  if (root === 'api' && second === '') {
    return first === '' ? serveApi(request, discovery, serverAddress) : serveVersion(request, discovery, '', first)
  }
  if (root !== 'apis' || first === '') return undefined
  return second === '' ? serveGroup(request, path, discovery, first) : serveVersion(request, discovery, first, second)
}
