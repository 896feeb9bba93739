/** The handler of all resources: it finds the verb and forwards the request to the collection's Durable Object. */

import type { Handler } from 'hono'
import type { Kind } from '../catalog/kind.ts'
import type { ResourceConfig } from '../catalog/resource-config.ts'
import type { ServiceName } from '../clusters/api-services.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import { controlProtocol } from '../clusters/control-protocol.ts'
import { send } from '../clusters/message.ts'
import { logError } from '../meta/log.ts'
import type { RequestCounts } from './administration/request-counts.ts'
import { checkMediaTypes } from './codec/route-media-types.ts'
import type { ResourceContext, ResourceServices } from './context.ts'
import type { HttpEnvironment, RequestContext } from './filters/filter.ts'
import { askerOf } from './filters/policy.ts'
import { webhookSeconds } from './metrics/admission-metrics.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import { customRoute } from './verbs/custom-route.ts'
import { isDeprecated, withDeprecation } from './verbs/deprecation.ts'
import { type Route, route, targetOf } from './verbs/route.ts'
import { resolveLookup } from './worker-lookups.ts'

/** Groups and resources with objects in the policy snapshot that affect the next write of the same client. */
const policyGroups: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'scheduling.k8s.io',
])
const policyResources: ReadonlySet<string> = new Set(['limitranges', 'namespaces', 'resourcequotas'])

/** Read-your-writes: after a write to a policy object, the same client's next request gets a new policy snapshot. */
function invalidateCaches({ policy, reads }: ResourceServices, { group, storage }: Kind): void {
  if (policyGroups.has(group) || policyResources.has(storage.prefix)) policy.invalidate()
  reads.invalidate(storage.prefix)
}

/** Collections whose objects lead to the servers of APIServices. */
const serviceCollections: ReadonlySet<string> = new Set(['services', 'endpoints', 'endpointslices.discovery.k8s.io'])

/** Returns the Services of APIServices in the namespace of a write that may affect their availability. */
function affectedServices({ policy }: ResourceServices, { kind, info }: ResourceContext): ServiceName[] {
  const known = policy.known?.apiServices
  if (known === undefined || !serviceCollections.has(kind.storage.prefix)) return []
  const affected = Object.values(known).filter(({ service }) => service.namespace === info.namespace)
  return affected.map(({ service: { namespace, name } }) => ({ namespace, name }))
}

/** Tells the control object of Services of APIServices that may lead elsewhere now. */
async function reportServices(client: CollectionClient, services: readonly ServiceName[]): Promise<void> {
  const report = (service: ServiceName): Promise<void> => send(client.control(), controlProtocol.serviceChanged, service)
  await Promise.all(services.map(report)).catch((error: unknown) => logError('a changed Service was not reported', error))
}

/** Returns the context of a request, with a client that acts for this request. */
function contextOf(
  client: CollectionClient,
  services: ResourceServices,
  { admission }: ServerMetrics,
  c: RequestContext,
  { found, config }: { readonly found: Route; readonly config: ResourceConfig },
): ResourceContext {
  const info = c.get('info')
  if (!info.isResource) throw new Error(`a resource at ${info.path}`)
  const { kind } = found
  const [user, audit, deadline, delays] = [c.get('user'), c.get('audit'), c.get('deadline'), c.get('delays')]
  return {
    client: client.forRequest({
      headers: c.get('responseHeaders'),
      deadline,
      emulation: config.isDefault ? undefined : config.text,
      time: c.get('time'),
      observer: audit,
      readAhead: c.get('readAhead'),
      waits: c.env.suspension?.begin,
      found: ({ annotations, measurements }) => {
        audit?.annotated(annotations)
        admission.add(measurements)
        if (delays !== undefined) delays.seconds += webhookSeconds(measurements)
      },
      resolve: (lookup, ofRequest) =>
        resolveLookup({ services, user, asker: askerOf(c), client, ofRequest, deadline, request: c.req.raw }, lookup),
    }),
    services,
    request: c.req.raw,
    basePath: c.get('address').basePath,
    query: c.get('query'),
    info,
    user,
    kind,
    target: targetOf(info, kind),
    audit,
  }
}

/** Handles a request that may change objects. @param waitUntil keeps the request alive until background work is done */
async function write(
  {
    client,
    services,
    metrics,
  }: { readonly client: CollectionClient; readonly services: ResourceServices; readonly metrics: ServerMetrics },
  context: ResourceContext,
  { handler, kind }: Route,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<Response> {
  const response = await handler(context)
  invalidateCaches(services, kind)
  const affected = affectedServices(services, context)
  if (affected.length > 0) waitUntil(reportServices(client, affected))
  metrics.admission.allowed(context.info.verb)
  return response
}

/**
 * Makes the handler. It sets `kind`, and counts and warns about requests for deprecated versions.
 * @throws ApiError 404, 405, 406 and 415, and the errors of the verbs
 */
export function resourceHandler(
  client: CollectionClient,
  services: ResourceServices,
  metrics: ServerMetrics,
  requestCounts: RequestCounts,
): Handler<HttpEnvironment> {
  return async (c) => {
    const info = c.get('info')
    if (!info.isResource) return c.notFound()
    const request = c.req.raw
    const { method } = request
    const asked = services.served.for(info, askerOf(c))
    const config = asked instanceof Promise ? await asked : asked
    const found = route(method, info, config) ?? (await customRoute(services.customKinds, info, askerOf(c)))
    if (found === undefined) return c.notFound()
    const { kind, mediaTypes } = found
    c.set('kind', kind)
    checkMediaTypes(mediaTypes, request)
    if (isDeprecated(kind, config.release)) {
      metrics.requests.deprecated(kind, info.subresource)
      c.get('audit')?.deprecated(kind)
      const reported = requestCounts.add(kind, info, request.headers.get('user-agent') ?? '', c.get('receivedAt'))
      if (reported !== undefined) c.executionCtx.waitUntil(reported)
    }
    const response = await withDeprecation(kind, config.release, () => {
      const context = contextOf(client, services, metrics, c, { found, config })
      if (method === 'GET') return found.handler(context)
      return write({ client, services, metrics }, context, found, (work) => c.executionCtx.waitUntil(work))
    })
    // The deadline has passed and the timeout response has been sent: nothing reads this one.
    if (c.finalized) await response.body?.cancel()
    return response
  }
}
