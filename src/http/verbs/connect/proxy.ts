/** proxy of Pods, Services and nodes: answered as kube-apiserver does where what is behind them cannot be reached. */
import type { Pod, Service } from '../../../catalog/generated/types/core.v1.ts'
import { ApiError, badRequest } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { ResourceContext } from '../../context.ts'
import { hostPort, isProxyable, kubeletAddressOf, unreachable } from './address.ts'
import { readObject } from './objects.ts'
import { refuseDryRun } from './pod-streams.ts'

interface Endpoints extends KubernetesObject {
  subsets?: {
    addresses?: { ip: string; targetRef?: { namespace?: string; name?: string } }[]
    ports?: { name?: string; port: number }[]
  }[]
}

/** What the name in the path of a proxy means: `name`, `name:port`, `scheme:name:port`. */
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

/** The address that is meant, or why there is none. */
type Locate = (context: ResourceContext) => Promise<string>

async function locatePod(context: ResourceContext): Promise<string> {
  const asked = proxyNameOf(context.target.name, 'pod')
  const { spec, status } = await readObject<Pod>(context, 'pods', asked.name)
  const first = (spec.containers ?? []).find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort
  const port = asked.port === '' && first !== undefined ? String(first) : asked.port
  const address = typeof status.podIP === 'string' ? status.podIP : ''
  checkProxyable(address)
  return hostPort(address, port)
}

/** The name of the Service's port that is asked for: by its name, or by its number. */
async function portNameOf(context: ResourceContext, { name, port }: ProxyName): Promise<string> {
  if (!/^[+-]?\d+$/.test(port)) return port
  const { spec } = await readObject<Service>(context, 'services', name)
  const found = (spec.ports ?? []).find((candidate) => candidate.port === Number(port))
  if (found === undefined) throw unavailable(`no service port ${Number(port)} found for service "${name}"`)
  return found.name ?? ''
}

/** Only addresses of Pods are proxied to. */
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
  const asked = proxyNameOf(text, 'service')
  const portName = await portNameOf(context, asked)
  const { subsets = [] } = await readObject<Endpoints>(context, 'endpoints', asked.name)
  if (subsets.length === 0) throw unavailable(`no endpoints available for service "${asked.name}"`)
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
  const asked = proxyNameOf(context.target.name, 'node')
  const { hostname, port } = kubeletAddressOf(await readObject(context, 'nodes', asked.name))
  checkProxyable(hostname)
  return hostPort(hostname, asked.port || port)
}

const locations: ReadonlyMap<string, Locate> = new Map([
  ['pods', locatePod],
  ['services', locateService],
  ['nodes', locateNode],
])

/** The root of what is behind a proxy has a path that ends in a slash. */
function redirectToRoot({ request, info }: ResourceContext): Response | undefined {
  if ((request.method !== 'GET' && request.method !== 'HEAD') || info.parts.length > 3 || info.path.endsWith('/'))
    return undefined
  const mark = request.url.indexOf('?')
  const location = `${info.path}/${mark < 0 ? '' : request.url.slice(mark)}`
  return new Response(null, { status: 301, headers: { location, 'cache-control': 'no-cache, private' } })
}

/** @throws ApiError 400 for addresses that are barred, 404, 503 for what cannot be reached */
export async function proxy(context: ResourceContext): Promise<Response> {
  refuseDryRun(context.query)
  const locate = locations.get(context.target.resource)
  const address = locate === undefined ? '' : await locate(context)
  const redirect = redirectToRoot(context)
  if (redirect !== undefined) return redirect
  throw unavailable(`error trying to reach service: ${unreachable(address)}`)
}
