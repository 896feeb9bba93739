/** pods/log, exec, attach and portforward, which the kubelet of the Pod's node serves. */
import type { Node, Pod } from '../../../catalog/generated/types/core.v1.ts'
import { parseUint64 } from '../../../go/numbers.ts'
import { badRequest, forbidden } from '../../../meta/errors.ts'
import { queryBoolean } from '../../../meta/query.ts'
import { noCache } from '../../codec/headers.ts'
import { negotiateOutput, noView } from '../../codec/negotiate.ts'
import type { ResourceContext } from '../../context.ts'
import { isWebSocketRequest } from '../../websocket.ts'
import { hostPort, kubeletAddressOf } from './address.ts'
import { afterAdmission, type ConnectOptions, portTexts } from './admit.ts'
import { causeOf, type Destination, dial } from './dial.ts'
import { mostErrorBytes, passLog, startOf } from './log.ts'
import { readLogOptions } from './log-options.ts'
import { readObject } from './objects.ts'
import { isRemoteCommand, runCommand, type SpdyConnection, streamProtocol } from './remote-command.ts'
import { isTunnel, isUpgrade, passUpgrade, type Target, tunnel, upgradeToSpdy } from './upgrade.ts'

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

/** The kubelet of a Pod's node. */
interface Kubelet extends Destination {
  /** Whether it serves the WebSockets of newer protocols itself. */
  readonly servesWebSockets: boolean
}

/** Returns the kubelet of the Pod's node; undefined if the Pod has no node. */
async function kubeletOf(context: ResourceContext, { spec }: Pod): Promise<Kubelet | undefined> {
  if ((spec.nodeName ?? '') === '') return undefined
  const node = await readObject<Node>(context, 'nodes', spec.nodeName ?? '')
  const features: readonly string[] = node.status?.declaredFeatures ?? []
  const address = kubeletAddressOf(node, context.services.nodes.addressTypes)
  return { scheme: 'https', ...address, peer: 'kubelet', servesWebSockets: features.includes('ExtendWebSocketsToKubelet') }
}

const hostOf = ({ hostname, port }: Destination): string => hostPort(hostname, port)

/** GET of pods/log. A Pod without a node has no log: 204. */
export async function log(context: ResourceContext): Promise<Response> {
  const { request, query, target } = context
  negotiateOutput(request, noView)
  const options = readLogOptions(query, target.name)
  const pod = await readObject<Pod>(context, 'pods', target.name)
  const container = containerOf(pod, options.container)
  const kubelet = await kubeletOf(context, pod)
  if (kubelet === undefined) return new Response(null, { status: 204, headers: noCache })
  const parameters = options.parameters.size === 0 ? '' : `?${options.parameters}`
  const peer = queryBoolean(query, 'insecureSkipTLSVerifyBackend') === true ? 'unverified kubelet' : 'kubelet'
  return passLog(context, { ...kubelet, peer }, `/containerLogs/${target.namespace}/${target.name}/${container}${parameters}`)
}

/** @throws ApiError 400 for an invalid port, with the text of Go's conversion */
function checkPorts(query: URLSearchParams): void {
  for (const port of portTexts(query)) {
    try {
      if (parseUint64(port) > 0xffffn) throw new Error(`strconv.ParseUint: parsing "${port}": value out of range`)
    } catch (error) {
      throw badRequest(`cannot convert to []int32: ${error instanceof Error ? error.message : ''}`)
    }
  }
}

/**
 * A connection needs the permission to create, even if a WebSocket makes it a GET.
 * @throws ApiError 403
 */
async function requireCreate({ services, user, info, target }: ResourceContext): Promise<void> {
  if (info.verb === 'create') return
  const { allowed, reason } = await services.authorizer.authorize(user, { ...info, verb: 'create' })
  if (!allowed) throw forbidden(info, target.name, reason)
}

/** How a connection to a Pod is passed to its kubelet. */
interface Connection {
  /** Returns the path of the kubelet. @throws ApiError 400 for a container that does not exist */
  pathOf(pod: Pod): string
  open(kubelet: Kubelet & Target): Response | Promise<Response>
}

/** Finds the kubelet for a connection to a Pod. @throws ApiError 400 or 404 as kube-apiserver does */
async function targetOf(context: ResourceContext, { pathOf }: Connection): Promise<Kubelet & Target> {
  const { name } = context.target
  const pod = await readObject<Pod>(context, 'pods', name)
  const path = pathOf(pod)
  const kubelet = await kubeletOf(context, pod)
  if (kubelet === undefined) throw badRequest(`pod ${name} does not have a host assigned`)
  if (!isUpgrade(context.request)) throw badRequest('Upgrade request required')
  return { ...kubelet, path }
}

/** Admits a connection to a Pod and passes it to the kubelet. @throws ApiError 400, 403 or 404 */
async function connected(context: ResourceContext, connection: (options: ConnectOptions) => Connection): Promise<Response> {
  await requireCreate(context)
  return afterAdmission(context, async (options) => {
    const admitted = connection(options)
    return admitted.open(await targetOf(context, admitted))
  })
}

/** @throws ApiError 400, because a connection has no dry run */
export function refuseDryRun(query: URLSearchParams): void {
  if (query.get('dryRun') !== null) throw badRequest('dryRun is not supported')
}

/** The streams of a command, with the parameters of kubelets. */
const streamParameters = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const

function containerConnection(context: ResourceContext, options: ConnectOptions): Connection {
  const { target, request } = context
  const { command = [], stdin = false, stdout = false, stderr = false, tty = false, container = '' } = options
  const streams = { stdin, stdout, stderr, tty }
  const set = Object.entries(streamParameters).filter(([name]) => streams[name as keyof typeof streams])
  const parameters = new URLSearchParams([...command.map((each) => ['command', each]), ...set.map(([, name]) => [name, '1'])])
  parameters.sort()
  return {
    pathOf: (pod) => {
      const path = `/${target.subresource}/${target.namespace}/${target.name}/${containerOf(pod, container)}`
      return parameters.size === 0 ? path : `${path}?${parameters}`
    },
    open: (kubelet) =>
      kubelet.servesWebSockets || !isWebSocketRequest(request) || !isRemoteCommand(request)
        ? passUpgrade(context, kubelet)
        : runCommand(streams, () => streamsOfKubelet(context, kubelet)),
  }
}

/** exec and attach to a container. */
export async function connectToContainer(context: ResourceContext): Promise<Response> {
  refuseDryRun(context.query)
  return connected(context, (options) => containerConnection(context, options))
}

/** Opens the streams of a command. @throws Error with the text of client-go */
async function streamsOfKubelet(context: ResourceContext, kubelet: Target): Promise<SpdyConnection> {
  const host = hostOf(kubelet)
  const failed = (error: unknown): never => {
    throw new Error(`error sending request: Post "https://${host}${kubelet.path}": ${causeOf(error)}`)
  }
  const connection = await dial(context, kubelet).catch(failed)
  const upgraded = await upgradeToSpdy(connection, { path: kubelet.path, host, headers: [] }, [streamProtocol]).catch(failed)
  if (!(upgraded instanceof Response))
    return { bytes: upgraded.bytes, write: (data) => connection.http.write(data), close: () => connection.close() }
  const text = await startOf(upgraded, mostErrorBytes)
  connection.close()
  throw new Error(`unable to upgrade connection: ${text.trim()}`)
}

/** portforward to a Pod. */
export async function connectToPorts(context: ResourceContext): Promise<Response> {
  const { query, target, request } = context
  refuseDryRun(query)
  checkPorts(query)
  return connected(context, ({ ports = [] }) => {
    const parameters = ports.length === 0 ? '' : `?${new URLSearchParams({ port: ports.join(',') })}`
    return {
      pathOf: () => `/portForward/${target.namespace}/${target.name}${parameters}`,
      open: (kubelet) =>
        kubelet.servesWebSockets || !isWebSocketRequest(request) || !isTunnel(request)
          ? passUpgrade(context, kubelet)
          : tunnel(context, kubelet),
    }
  })
}
