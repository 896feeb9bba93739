/** Asks the server of an APIService for its discovery. Follows the checks and the discovery manager of k8s.io/kube-aggregator. */
import { BackendError, hostOf } from '../../auth/front-proxy/backend.ts'
import {
  aggregatorUser,
  type Reading,
  readDocument,
  type Server,
  type ServerAccess,
} from '../../auth/front-proxy/read-document.ts'
import { mastersGroup } from '../../auth/user.ts'
import type { ApiService, ApiServiceDocuments } from '../../clusters/api-services.ts'
import { goQuote } from '../../go/text.ts'
import type { User } from '../../meta/user.ts'
import { boundedDocuments, pathsInIndex, versionInAggregated, versionInResourceList } from './documents.ts'
import { type Finding, failed, passed } from './reconcile.ts'

/** The number of attempts after a failed first one; a Service may have several endpoints. */
const furtherAttempts = 4

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** The result of a probe. */
export interface Probe {
  readonly finding: Finding
  readonly documents: ApiServiceDocuments | undefined
}

const checker: User = { name: 'system:kube-aggregator', uid: '', groups: [mastersGroup], extra: {} }

/** Reads a document; undefined if the server has an error instead, or does not answer in time. */
async function readOptional(server: Server, path: string, by: User, accept: string): Promise<Reading | undefined> {
  try {
    const found = await readDocument(server, path, by, [['accept', accept]])
    return found.status === 200 || found.status === 404 ? found : undefined
  } catch {
    return undefined
  }
}

const isAggregated = (type: string): boolean => /g=apidiscovery\.k8s\.io/.test(type) && /v=v2(?![\w])/.test(type)

function discoveryOf(service: ApiService, aggregated: Reading | undefined, list: Reading): ApiServiceDocuments {
  try {
    if (aggregated?.status === 200 && isAggregated(aggregated.headers.get('content-type') ?? '')) {
      return { discovery: versionInAggregated(aggregated.text, service) }
    }
    return { discovery: versionInResourceList(list.text, service) }
  } catch {
    // The document is not JSON: the version is served, and nothing is known about it.
    return { discovery: { version: service.version } }
  }
}

function indexOf(service: ApiService, index: Reading | undefined): ApiServiceDocuments {
  if (index?.status === 404) return { openApiVersion: 2 }
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
async function attempt(access: ServerAccess, service: ApiService): Promise<{ readonly server: Server; readonly list: Reading }> {
  const backend = await access.backends.find(service)
  const path = `/apis/${service.group}/${service.version}`
  const url = `https://${hostOf(backend.address)}${path}`
  const server = { ...access, service, backend }
  let list: Reading
  try {
    list = await readDocument(server, path, checker, [['accept', 'application/json']])
  } catch (error) {
    throw new Error(problemOf(error, url))
  }
  if (list.status >= 200 && list.status < 300) return { server, list }
  throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${list.status}`)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Asks the server whether it serves the version, and for the documents about it. Never rejects. */
export async function probe(access: ServerAccess, service: ApiService): Promise<Probe> {
  const once = () => attempt(access, service)
  try {
    const { server, list } = await once().catch(() => Promise.any(Array.from({ length: furtherAttempts }, once)))
    const [aggregated, index] = await Promise.all([
      readOptional(server, '/apis', checker, `${aggregatedType},application/json`),
      readOptional(server, '/openapi/v3', aggregatorUser, 'application/json'),
    ])
    const documents = { ...discoveryOf(service, aggregated, list), ...indexOf(service, index) }
    return { finding: passed, documents: boundedDocuments(documents, service.version) }
  } catch (error) {
    const reason = error instanceof AggregateError ? error.errors.at(-1) : error
    return { finding: failed(messageOf(reason)), documents: undefined }
  }
}
