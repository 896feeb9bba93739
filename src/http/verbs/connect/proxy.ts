/** proxy of Pods, Services and nodes. The responses are those of kube-apiserver if it cannot reach the target. */
import type { Pod, Service } from '../../../catalog/generated/types/core.v1.ts'
import { ApiError, badRequest } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { ResourceContext } from '../../context.ts'
import { hostPort, isProxyable, kubeletAddressOf, unreachable } from './address.ts'
import { admitConnect } from './admit.ts'
import { readObject } from './objects.ts'
import { refuseDryRun } from './pod-streams.ts'

interface Endpoints extends KubernetesObject {
  subsets?: {
    addresses?: { ip: string; targetRef?: { namespace?: string; name?: string } }[]
    ports?: { name?: string; port: number }[]
  }[]
}

/** The parsed name in the path of a proxy: `name`, `name:port`, `scheme:name:port`. */
interface ProxyName {
  readonly name: string
  readonly port: string
}

const schemes: ReadonlySet<string> = new Set(['', 'http', 'https'])

function proxyNameOf(text: string, what: string): ProxyName {
  const parts = text.split(':')
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts]
  if (parts.length > 3 || name === '' || !schemes.has(scheme)) throw badRequest(`invalid ${what} request "${text}"`)
  return { name, port }
}

function checkProxyable(address: string): void {
  if (!isProxyable(address)) throw badRequest('address not allowed')
}

const unavailable = (message: string): ApiError => new ApiError(503, 'ServiceUnavailable', message)

/** Returns the address of a proxy's target. Rejects if it has none. */
type Locate = (context: ResourceContext) => Promise<string>

async function locatePod(context: ResourceContext): Promise<string> {
  const target = proxyNameOf(context.target.name, 'pod')
  const { spec, status } = await readObject<Pod>(context, 'pods', target.name)
  const first = (spec.containers ?? []).find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort
  const port = target.port === '' && first !== undefined ? String(first) : target.port
  const address = typeof status.podIP === 'string' ? status.podIP : ''
  checkProxyable(address)
  return hostPort(address, port)
}

/** Returns the name of the requested port of a Service, which is given by name or number. */
async function portNameOf(context: ResourceContext, { name, port }: ProxyName): Promise<string> {
  if (!/^[+-]?\d+$/.test(port)) return port
  const { spec } = await readObject<Service>(context, 'services', name)
  const found = (spec.ports ?? []).find((candidate) => candidate.port === Number(port))
  if (found === undefined) throw unavailable(`no service port ${Number(port)} found for service "${name}"`)
  return found.name ?? ''
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

async function locateService(context: ResourceContext): Promise<string> {
  const { name: text, namespace } = context.target
  const target = proxyNameOf(text, 'service')
  const portName = await portNameOf(context, target)
  const { subsets = [] } = await readObject<Endpoints>(context, 'endpoints', target.name)
  if (subsets.length === 0) throw unavailable(`no endpoints available for service "${target.name}"`)
  for (const { addresses = [], ports = [] } of subsets) {
    const port = ports.find(({ name = '' }) => name === portName)
    for (const { ip, targetRef } of port === undefined ? [] : addresses) {
      if (targetRef?.namespace !== namespace || !(await isPodAddress(context, ip, targetRef.name ?? ''))) continue
      return hostPort(ip, String(port?.port ?? ''))
    }
  }
  throw unavailable(`no endpoints available for service "${text}"`)
}

async function locateNode(context: ResourceContext): Promise<string> {
  const target = proxyNameOf(context.target.name, 'node')
  const { hostname, port } = kubeletAddressOf(await readObject(context, 'nodes', target.name))
  checkProxyable(hostname)
  return hostPort(hostname, target.port || port)
}

const locations: ReadonlyMap<string, Locate> = new Map([
  ['pods', locatePod],
  ['services', locateService],
  ['nodes', locateNode],
])

/** Redirects to the path with a trailing slash if the request is for the root of the target. */
function redirectToRoot({ request, info }: ResourceContext): Response | undefined {
  if ((request.method !== 'GET' && request.method !== 'HEAD') || info.parts.length > 3 || info.path.endsWith('/'))
    return undefined
  const mark = request.url.indexOf('?')
  const location = `${info.path}/${mark < 0 ? '' : request.url.slice(mark)}`
  return new Response(null, { status: 301, headers: { location, 'cache-control': 'no-cache, private' } })
}

/** @throws ApiError 400 for an address that must not be proxied to, 404, 503 for a target that cannot be reached */
export async function proxy(context: ResourceContext): Promise<Response> {
  refuseDryRun(context.query)
  await admitConnect(context)
  const locate = locations.get(context.target.resource)
  const address = locate === undefined ? '' : await locate(context)
  const redirect = redirectToRoot(context)
  if (redirect !== undefined) return redirect
  throw unavailable(`error trying to reach service: ${unreachable(address)}`)
}
