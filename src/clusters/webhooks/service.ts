/** Finds the server of a Service: the API server itself has no access to a cluster network. */
import type { Endpoints, Service } from '../../catalog/generated/types/core.v1.ts'
import type { EndpointSlice } from '../../catalog/generated/types/discovery.v1.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { goQuote } from '../../go/text.ts'
import type { CollectionClient } from '../collection-client.ts'
import { findObject, selectedObjects } from '../read-object.ts'
import type { WebhookAddress, WebhookService } from './transport.ts'

/** An address with a port. */
interface Endpoint {
  readonly hostname: string
  readonly port: number
}

/** Returns the EndpointSlices of a Service. */
export async function slicesOf(
  objects: CollectionClient,
  { namespace, name }: WebhookService,
): Promise<readonly EndpointSlice[]> {
  const kind = kindOf('discovery.k8s.io', 'v1', 'endpointslices')
  if (kind === undefined) return []
  return selectedObjects<EndpointSlice>(objects, kind, namespace, `kubernetes.io/service-name=${name}`)
}

/** Returns the ready endpoints of EndpointSlices for a port of the Service. */
export const readyIn = (slices: readonly EndpointSlice[], portName: string): Endpoint[] =>
  slices.flatMap(({ ports, endpoints }) => {
    const port = (ports ?? []).find((each) => (each.name ?? '') === portName)?.port
    if (port === undefined) return []
    const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false)
    return ready.flatMap(({ addresses }) => (addresses ?? []).slice(0, 1).map((hostname) => ({ hostname, port })))
  })

/** Returns the endpoints of Endpoints, which tests create by hand. */
export const endpointsIn = ({ subsets = [] }: Endpoints, portName: string): Endpoint[] =>
  subsets.flatMap(({ addresses = [], ports = [] }) => {
    const port = ports.find((each) => (each.name ?? '') === portName)?.port
    return port === undefined ? [] : addresses.map(({ ip }) => ({ hostname: ip, port }))
  })

async function endpointsOf(objects: CollectionClient, service: WebhookService, portName: string): Promise<readonly Endpoint[]> {
  const ready = readyIn(await slicesOf(objects, service), portName)
  if (ready.length > 0) return ready
  const { namespace, name } = service
  const found = await findObject<Endpoints>(objects, { resource: 'endpoints', namespace, name })
  return found === undefined ? [] : endpointsIn(found, portName)
}

/**
 * Returns the server of a Service: the host of an ExternalName, or a ready endpoint. Cluster IPs cannot be reached. Follows
 * ResolveCluster and ResolveEndpoint of k8s.io/apiserver/pkg/util/proxy.
 * @throws Error with upstream's reason
 */
export async function addressOf(objects: CollectionClient, service: WebhookService): Promise<WebhookAddress> {
  const { name, namespace, port = 443 } = service
  const serverName = `${name}.${namespace}.svc`
  const found = await findObject<Service>(objects, { resource: 'services', namespace, name })
  if (found === undefined) throw new Error(`service ${goQuote(name)} not found`)
  const { type, clusterIP, externalName = '', ports = [] } = found.spec ?? {}
  if (type === 'ExternalName') return { hostname: externalName, port, serverName }
  if (clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"')
  const servicePort = ports.find((each) => each.port === port)
  if (servicePort === undefined) throw new Error(`no service port ${port} found for service ${goQuote(name)}`)
  const endpoints = await endpointsOf(objects, service, servicePort.name ?? '')
  const endpoint = endpoints[Math.floor(Math.random() * endpoints.length)]
  if (endpoint === undefined) throw new Error(`no endpoints available for service ${goQuote(name)}`)
  return { ...endpoint, serverName }
}
