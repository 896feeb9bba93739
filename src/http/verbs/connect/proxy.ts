/** proxy of Pods, Services and nodes. */
import type { Endpoints, Pod, Service, ServicePort } from '../../../catalog/generated/types/core.v1.ts'
import { findObject } from '../../../clusters/read-object.ts'
import { escapedPath } from '../../../go/url.ts'
import { ApiError, badRequest, unknownResource } from '../../../meta/errors.ts'
import { parseIp } from '../../../net/ip.ts'
import { isProxyable } from '../../../net/proxyable-address.ts'
import type { ResourceContext } from '../../context.ts'
import { kubeletAddressOf } from './address.ts'
import { afterAdmission, type ConnectOptions } from './admit.ts'
import type { Destination } from './dial.ts'
import { readObject } from './objects.ts'
import { passRequest, queryOf } from './pass-request.ts'
import { refuseDryRun } from './pod-streams.ts'
import { isUpgrade, passUpgrade } from './upgrade.ts'

/** The parsed name in the path of a proxy: `name`, `name:port`, `scheme:name:port`. */
interface ProxyName {
  readonly scheme: Destination['scheme']
  readonly name: string
  readonly port: string
}

const schemes: ReadonlySet<string> = new Set(['', 'http', 'https'])

function proxyNameOf(text: string, what: string): ProxyName {
  const parts = text.split(':')
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts]
  if (parts.length > 3 || name === '' || !schemes.has(scheme)) throw badRequest(`invalid ${what} request "${text}"`)
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port }
}

function checkProxyable(address: string): void {
  if (!isProxyable(address)) throw badRequest('address not allowed')
}

const unavailable = (message: string): ApiError => new ApiError(503, 'ServiceUnavailable', message)

/** Returns the destination of a proxy. Rejects if it has none. */
type Locate = (context: ResourceContext) => Promise<Destination>

async function locatePod(context: ResourceContext): Promise<Destination> {
  const { scheme, name, port: wanted } = proxyNameOf(context.target.name, 'pod')
  const { spec, status } = await readObject<Pod>(context, 'pods', name)
  const first = (spec.containers ?? []).find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort
  const port = wanted === '' && first !== undefined ? String(first) : wanted
  const hostname = status.podIPs?.[0]?.ip ?? ''
  checkProxyable(hostname)
  return { scheme, hostname, port, peer: 'workload' }
}

/** Returns the requested port of a Service, which is given by name or number. A name may also be one of the endpoints only. */
async function servicePortOf(context: ResourceContext, { name, port }: ProxyName): Promise<Pick<ServicePort, 'name' | 'port'>> {
  if (/^[+-]?\d+$/.test(port)) {
    const { spec } = await readObject<Service>(context, 'services', name)
    const found = (spec.ports ?? []).find((each) => each.port === Number(port))
    if (found === undefined) throw unavailable(`no service port ${Number(port)} found for service "${name}"`)
    return found
  }
  const { client, target } = context
  const service = await findObject<Service>(client, { resource: 'services', namespace: target.namespace, name })
  return (service?.spec.ports ?? []).find((each) => (each.name ?? '') === port) ?? { name: port, port: 0 }
}

/** Whether the address belongs to the named Pod: a Service's proxy connects only to Pods. */
async function isPodAddress(context: ResourceContext, ip: string, name: string): Promise<boolean> {
  try {
    const { status } = await readObject<Pod>(context, 'pods', name)
    return ((status.podIPs ?? []) as { ip: string }[]).some((podIp) => podIp.ip === ip)
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return false
    throw error
  }
}

/** Returns the server to which a route leads instead of the endpoints; undefined without a route. */
async function routeOf({ services, target }: ResourceContext, name: string, port: number): Promise<Destination | undefined> {
  const service = { namespace: target.namespace, name, port }
  if (!services.webhooks.isRouted(service)) return undefined
  const { hostname, port: found, binding } = await services.webhooks.resolve(service)
  if (binding !== undefined) throw unavailable(`the route of service "${name}" leads to a Worker, and not to a host`)
  return { scheme: 'https', hostname, port: String(found), peer: 'workload' }
}

async function locateService(context: ResourceContext): Promise<Destination> {
  const { name: text, namespace } = context.target
  const target = proxyNameOf(text, 'service')
  const { name: portName = '', port: number } = await servicePortOf(context, target)
  const route = await routeOf(context, target.name, number)
  if (route !== undefined) return route
  const { subsets = [] } = await readObject<Endpoints>(context, 'endpoints', target.name)
  if (subsets.length === 0) throw unavailable(`no endpoints available for service "${target.name}"`)
  for (const { addresses = [], ports = [] } of subsets) {
    const port = ports.find(({ name = '' }) => name === portName)
    for (const { ip, targetRef } of port === undefined ? [] : addresses) {
      if (targetRef?.namespace !== namespace || !(await isPodAddress(context, ip, targetRef.name ?? ''))) continue
      return { scheme: target.scheme, hostname: ip, port: String(port?.port ?? ''), peer: 'workload' }
    }
  }
  throw unavailable(`no endpoints available for service "${text}"`)
}

/** Whether a name always leads to this machine (RFC 6761, section 6.3). */
const isLocal = (hostname: string): boolean => /(?:^|\.)localhost\.?$/i.test(hostname)

async function locateNode(context: ResourceContext): Promise<Destination> {
  const { scheme, name, port } = proxyNameOf(context.target.name, 'node')
  const { addressTypes, checksNames } = context.services.nodes
  const kubelet = kubeletAddressOf(await readObject(context, 'nodes', name), addressTypes)
  const { hostname } = kubelet
  const isName = parseIp(hostname) === undefined
  if (!isName || !checksNames || isLocal(hostname)) checkProxyable(hostname)
  const isKubelet = port === '' || port === kubelet.port
  if (isKubelet) return { scheme: 'https', ...kubelet, peer: 'kubelet', isName }
  return { scheme, hostname, port, peer: 'workload', isName }
}

const locations: Readonly<Record<string, Locate>> = { pods: locatePod, services: locateService, nodes: locateNode }

/** Redirects to the path with a trailing slash if the request is for the root of the target. */
function redirectToRoot({ request, basePath, info }: ResourceContext): Response | undefined {
  if ((request.method !== 'GET' && request.method !== 'HEAD') || info.parts.length > 3 || info.path.endsWith('/'))
    return undefined
  const location = `${basePath}${info.path}/${queryOf(request)}`
  return new Response(null, { status: 301, headers: { location, 'cache-control': 'no-cache, private' } })
}

/** @throws ApiError 400 for an address that must not be proxied to, 404, 503 for a target that cannot be reached */
export async function proxy(context: ResourceContext): Promise<Response> {
  refuseDryRun(context.query)
  return afterAdmission(context, (options) => pass(context, options))
}

async function pass(context: ResourceContext, { path = '' }: ConnectOptions): Promise<Response> {
  const destination = await locations[context.target.resource]?.(context)
  if (destination === undefined) throw unknownResource()
  if (isUpgrade(context.request)) {
    const target = `${escapedPath(path === '' ? '/' : path)}${queryOf(context.request)}`
    return passUpgrade(context, { ...destination, path: target })
  }
  return redirectToRoot(context) ?? passRequest(context, destination, path)
}
