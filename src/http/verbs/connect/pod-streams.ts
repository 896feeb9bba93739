/** pods/log, exec, attach and portforward. The responses are those of kube-apiserver if it cannot reach the kubelet. */
import type { Pod } from '../../../catalog/generated/types/core.v1.ts'
import { parseUint64 } from '../../../go/numbers.ts'
import { ApiError, badRequest, forbidden } from '../../../meta/errors.ts'
import { queryText } from '../../../meta/query.ts'
import { negotiateOutput, noTransform } from '../../codec/negotiate.ts'
import type { ResourceContext } from '../../context.ts'
import { hostPort, kubeletAddressOf, unreachable } from './address.ts'
import { admitConnect } from './admit.ts'
import { readLogOptions } from './log-options.ts'
import { readObject } from './objects.ts'

/** Returns the requested container, or the only one. @throws ApiError 400 if it does not exist or is ambiguous */
function containerOf({ metadata, spec }: Pod, requested: string): string {
  const { name = '' } = metadata
  const containers = spec.containers ?? []
  const all = [...(spec.initContainers ?? []), ...containers, ...(spec.ephemeralContainers ?? [])].map(
    (container) => container.name,
  )
  if (requested !== '') {
    if (all.includes(requested)) return requested
    throw badRequest(`container ${requested} is not valid for pod ${name}`)
  }
  const [only, other] = containers
  if (only !== undefined && other === undefined) return only.name
  const choice = only === undefined ? '' : `, choose one of: [${all.join(' ')}]`
  throw badRequest(`a container name must be specified for pod ${name}${choice}`)
}

/** Returns `host:port` of the kubelet of the Pod's node; undefined if the Pod has no node. */
async function kubeletOf(context: ResourceContext, { spec }: Pod): Promise<string | undefined> {
  if ((spec.nodeName ?? '') === '') return undefined
  const { hostname, port } = kubeletAddressOf(await readObject(context, 'nodes', spec.nodeName ?? ''))
  return hostPort(hostname, port)
}

/** GET of pods/log. A Pod without a node has no log: 204. */
export async function log(context: ResourceContext): Promise<Response> {
  const { request, query, target } = context
  negotiateOutput(request, noTransform)
  const options = readLogOptions(query, target.name)
  const pod = await readObject<Pod>(context, 'pods', target.name)
  const container = containerOf(pod, options.container)
  const kubelet = await kubeletOf(context, pod)
  if (kubelet === undefined) return new Response(null, { status: 204, headers: { 'cache-control': 'no-cache, private' } })
  const parameters = options.parameters.size === 0 ? '' : `?${options.parameters}`
  const url = `https://${kubelet}/containerLogs/${target.namespace}/${target.name}/${container}${parameters}`
  throw new ApiError(500, '', `Get "${url}": ${unreachable(kubelet)}`)
}

/** @throws ApiError 400 for an invalid port, with the text of Go's conversion */
function checkPorts(query: URLSearchParams): void {
  for (const port of query.getAll('ports')) {
    try {
      if (parseUint64(port) > 0xffffn) throw new Error(`strconv.ParseUint: parsing "${port}": value out of range`)
    } catch (error) {
      throw badRequest(`cannot convert to []int32: ${error instanceof Error ? error.message : ''}`)
    }
  }
}

const isUpgrade = (request: Request): boolean => /\bupgrade\b/i.test(request.headers.get('connection') ?? '')

/**
 * A connection needs the permission to create, even if a WebSocket makes it a GET.
 * @throws ApiError 403
 */
async function requireCreate({ services, user, info, target }: ResourceContext): Promise<void> {
  if (info.verb === 'create') return
  const { allowed, reason } = await services.authorizer.authorize(user, { ...info, verb: 'create' })
  if (!allowed) throw forbidden(info, target.name, reason)
}

async function connect(context: ResourceContext, check: (pod: Pod) => void): Promise<Response> {
  const { name } = context.target
  await requireCreate(context)
  await admitConnect(context)
  const pod = await readObject<Pod>(context, 'pods', name)
  check(pod)
  const kubelet = await kubeletOf(context, pod)
  if (kubelet === undefined) throw badRequest(`pod ${name} does not have a host assigned`)
  if (!isUpgrade(context.request)) throw badRequest('Upgrade request required')
  throw new ApiError(500, '', `error dialing backend: ${unreachable(kubelet)}`)
}

/** @throws ApiError 400, because a connection has no dry run */
export function refuseDryRun(query: URLSearchParams): void {
  if (query.get('dryRun') !== null) throw badRequest('dryRun is not supported')
}

/** exec and attach to a container. */
export async function connectToContainer(context: ResourceContext): Promise<Response> {
  refuseDryRun(context.query)
  const container = queryText(context.query, 'container')
  return connect(context, (pod) => void containerOf(pod, container))
}

/** portforward to a Pod. */
export async function connectToPorts(context: ResourceContext): Promise<Response> {
  refuseDryRun(context.query)
  checkPorts(context.query)
  return connect(context, () => undefined)
}
