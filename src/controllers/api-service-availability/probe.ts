/** Asks the server of an APIService for its discovery. Follows the checks and the discovery manager of k8s.io/kube-aggregator. */
import { type Backend, BackendError, type Backends, hostOf } from '../../auth/front-proxy/backend.ts'
import { identityHeaders } from '../../auth/front-proxy/identity-headers.ts'
import type { UserTokenIssuer } from '../../auth/front-proxy/user-tokens.ts'
import { mastersGroup } from '../../auth/user.ts'
import type { ApiService, ApiServiceDocuments } from '../../clusters/api-services.ts'
import type { ConnectionPool } from '../../clusters/webhooks/pinned-fetch.ts'
import { goQuote } from '../../go/text.ts'
import type { User } from '../../meta/user.ts'
import { boundedText } from '../../net/bounded-text.ts'
import { boundedDocuments, pathsInIndex, versionInAggregated, versionInResourceList } from './documents.ts'
import { type Finding, failed, passed } from './reconcile.ts'

/** The time that a server has for each document, in milliseconds. */
const patience = 5_000
/** The number of attempts after a failed first one; a Service may have several endpoints. */
const furtherAttempts = 4
/** The maximum length of a document that is read. */
const mostBytes = 4 * 1024 * 1024

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** The result of a probe. */
export interface Probe {
  readonly finding: Finding
  readonly documents: ApiServiceDocuments | undefined
}

const checker: User = { name: 'system:kube-aggregator', uid: '', groups: [mastersGroup], extra: {} }
const aggregator: User = { name: 'system:aggregator', uid: '', groups: [], extra: {} }

/** The access of probes to servers. */
export interface ProbeAccess {
  readonly backends: Backends
  readonly pool: ConnectionPool
  /** Issues tokens for servers to which no certificate proves who asks. */
  readonly tokens: UserTokenIssuer
}

interface Reading {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** A server with the APIService that names it. */
interface Server extends ProbeAccess {
  readonly service: ApiService
  readonly backend: Backend
}

async function read(
  { backends, pool, tokens, service, backend }: Server,
  path: string,
  by: User,
  accept: string,
): Promise<Reading> {
  const headers: [string, string][] = [['accept', accept], ...identityHeaders(by)]
  if (!backends.isCertified(backend)) headers.push(['authorization', `Bearer ${await tokens.tokenFor(by, service.service)}`])
  const signal = AbortSignal.timeout(patience)
  const request = { method: 'GET', path, host: hostOf(backend.address), headers, body: null }
  const response = await backends.send(backend, request, { signal, pool })
  const { status } = response
  const type = response.headers.get('content-type') ?? ''
  return { status, type, text: await boundedText(response, mostBytes) }
}

/** Reads a document; undefined if the server does not have it, or does not answer in time. */
async function readOptional(...args: Parameters<typeof read>): Promise<Reading | undefined> {
  try {
    const found = await read(...args)
    return found.status === 200 ? found : undefined
  } catch {
    return undefined
  }
}

const isAggregated = (type: string): boolean => /g=apidiscovery\.k8s\.io/.test(type) && /v=v2(?![\w])/.test(type)

function discoveryOf(service: ApiService, aggregated: Reading | undefined, list: Reading): ApiServiceDocuments {
  try {
    if (aggregated !== undefined && isAggregated(aggregated.type)) {
      return { discovery: versionInAggregated(aggregated.text, service) }
    }
    return { discovery: versionInResourceList(list.text, service) }
  } catch {
    // The document is not JSON: the version is served, and nothing is known about it.
    return { discovery: { version: service.version } }
  }
}

function indexOf(service: ApiService, index: Reading | undefined): ApiServiceDocuments {
  try {
    return index === undefined ? {} : { openApi: pathsInIndex(index.text, service) }
  } catch {
    return {}
  }
}

/** Returns the reason of a failed request, as Go's client words it. */
function problemOf(error: unknown, url: string): string {
  const reason = error instanceof BackendError ? error.message : 'unexpected EOF'
  const shown = reason === 'context deadline exceeded' ? `${reason} (Client.Timeout exceeded while awaiting headers)` : reason
  return `failing or missing response from ${url}: Get ${goQuote(url)}: ${shown}`
}

/** Makes one attempt. @throws Error with the message of the condition */
async function attempt(access: ProbeAccess, service: ApiService): Promise<{ readonly server: Server; readonly list: Reading }> {
  const backend = await access.backends.find(service)
  const path = `/apis/${service.group}/${service.version}`
  const url = `https://${hostOf(backend.address)}${path}`
  const server = { ...access, service, backend }
  let list: Reading
  try {
    list = await read(server, path, checker, 'application/json')
  } catch (error) {
    throw new Error(problemOf(error, url))
  }
  if (list.status >= 200 && list.status < 300) return { server, list }
  throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${list.status}`)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Asks the server whether it serves the version, and for the documents about it. Never rejects. */
export async function probe(access: ProbeAccess, service: ApiService): Promise<Probe> {
  const once = () => attempt(access, service)
  try {
    const { server, list } = await once().catch(() => Promise.any(Array.from({ length: furtherAttempts }, once)))
    const [aggregated, index] = await Promise.all([
      readOptional(server, '/apis', checker, `${aggregatedType},application/json`),
      readOptional(server, '/openapi/v3', aggregator, 'application/json'),
    ])
    const documents = { ...discoveryOf(service, aggregated, list), ...indexOf(service, index) }
    return { finding: passed, documents: boundedDocuments(documents, service.version) }
  } catch (error) {
    const reason = error instanceof AggregateError ? error.errors.at(-1) : error
    return { finding: failed(messageOf(reason)), documents: undefined }
  }
}
