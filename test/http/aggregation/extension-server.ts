/** An API server of another group: an HTTPS server that trusts a front proxy by its client certificate, and answers by path. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Authority } from '../certificate-authority.ts'

export const group = 'metrics.example.com'
export const version = 'v1'
export const root = `/apis/${group}/${version}`

/** A received request. */
export interface Received {
  readonly method: string
  readonly path: string
  /** Names in lower case, in the order of the request; a repeated header occurs several times. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The common name of the client's certificate; undefined without one that the authority has issued. */
  readonly certificate: string | undefined
  readonly body: string
}

/** Answers a request in another way than by a document. */
export type Answer = (request: IncomingMessage, response: ServerResponse, received: Received) => void

/** A running extension server. */
export interface ExtensionServer {
  readonly port: number
  /** The requests since the list was last emptied, the oldest first. */
  readonly received: Received[]
  /** The answers to whole paths, or to paths below `root`; may be changed. */
  readonly answers: Map<string, Answer>
  /** Handles requests for another protocol from now on. */
  upgraded(handle: (request: IncomingMessage, socket: Duplex) => void): void
  /** The number of TLS connections so far. */
  connections(): number
  /** Closes all connections and stops listening, as a killed program. */
  stop(): Promise<void>
}

const json = (response: ServerResponse, body: unknown, type = 'application/json'): void => {
  response.writeHead(200, { 'content-type': type })
  response.end(JSON.stringify(body))
}

export const resource = { name: 'nodes', singularName: 'node', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] }

const aggregated = {
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: [
    {
      metadata: { name: group },
      versions: [
        {
          version,
          freshness: 'Current',
          resources: [
            {
              resource: 'nodes',
              responseKind: { group: '', version: '', kind: 'NodeMetrics' },
              scope: 'Cluster',
              singularResource: 'node',
              verbs: ['get', 'list'],
            },
          ],
        },
      ],
    },
    // A group that is not this server's business.
    { metadata: { name: 'apps' }, versions: [{ version: 'v1', freshness: 'Current', resources: [] }] },
  ],
}

const documents: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/apis': (response) => json(response, aggregated, 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'),
  [root]: (response) =>
    json(response, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}`, resources: [resource] }),
  '/openapi/v3': (response) =>
    json(response, {
      paths: {
        [`apis/${group}/${version}`]: { serverRelativeURL: `/openapi/v3/apis/${group}/${version}?hash=ABC` },
        'api/v1': { serverRelativeURL: '/openapi/v3/api/v1?hash=LIE' },
        [`apis/${group}`]: { serverRelativeURL: 'https://elsewhere.example.com/' },
      },
    }),
  '/openapi/v2': (response) =>
    json(response, {
      swagger: '2.0',
      paths: {
        [`${root}/nodes`]: { get: { responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/NodeMetrics' } } } } },
        '/api/v1/lies': { get: { responses: { 200: { description: 'A path of another group.' } } } },
      },
      definitions: { NodeMetrics: { type: 'object' } },
    }),
  [`/openapi/v3/apis/${group}/${version}`]: (response) => json(response, { openapi: '3.0.0', info: { title: 'other' } }),
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

function receivedOf(request: IncomingMessage, body: string): Received {
  const { method = '', url = '', rawHeaders, socket } = request
  const tls = socket as TLSSocket
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
  const headers = names.map((name, at) => [name, rawHeaders[at * 2 + 1] ?? ''] as const)
  return {
    method,
    path: url,
    headers,
    certificate: tls.authorized ? String(tls.getPeerCertificate().subject.CN) : undefined,
    body,
  }
}

/**
 * Starts the server at 127.0.0.1.
 * @param authority issues its certificate, for the Service `api` of the namespace `metrics`
 * @param clients the authority of the front proxy, PEM
 */
export async function startExtensionServer(authority: Authority, clients: string, port = 0): Promise<ExtensionServer> {
  const wish = { usage: 'serverAuth', names: ['api.metrics.svc'] } as const
  const { certificate: cert, key } = await authority.issue([['CN', 'api']], wish)
  const received: Received[] = []
  const answers = new Map<string, Answer>()
  const sockets = new Set<Socket>()
  let connections = 0
  const tls = { cert, key, ca: clients, requestCert: true, rejectUnauthorized: false }
  const server = createServer(tls, async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    const document = documents[path]
    if (document !== undefined && !answers.has(path)) return document(response)
    const answer = answers.get(path) ?? answers.get(path.slice(root.length + 1))
    const one = receivedOf(request, await bodyOf(request))
    received.push(one)
    if (answer !== undefined) return answer(request, response, one)
    response.writeHead(200, { 'content-type': 'application/json', 'x-own': 'yes' })
    response.end(JSON.stringify({ kind: 'Echo', path: one.path }))
  })
  server.on('secureConnection', (socket) => {
    connections++
    sockets.add(socket)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    received,
    answers,
    connections: () => connections,
    upgraded: (handle) => void server.removeAllListeners('upgrade').on('upgrade', handle),
    async stop() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
