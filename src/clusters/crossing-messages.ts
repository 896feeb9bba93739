/**
 * The messages between objects of different clusters: everything else stays in its cluster. A Durable Object tells its own name
 * with each request to another one, and the receiver takes these messages from the clusters that may send them, and no other
 * message from a foreign cluster (docs/decisions/cluster-isolation.md).
 */
import { ApiError, otherRelease } from '../meta/errors.ts'
import { clusterRecordPath, clusterReportPath } from './cluster-terms.ts'
import { forkPaths } from './fork-messages.ts'
import { signpostPath } from './jurisdiction.ts'
import { clusterOf, defaultCluster } from './placement.ts'
import { collectionUrl, protocolPath } from './protocol.ts'

/** The header of requests between Durable Objects with the name of the sender. Workers send none. */
export const senderHeader = 'edgeplane-sender'

/** The header with which the deployment itself sends a message, as tests do. */
export const ofDeployment = { [senderHeader]: `${defaultCluster}/control` } as const

/** The clusters of the two ends of a message. */
interface Ends {
  readonly sender: string
  readonly receiver: string
}

/** The clusters that may send a message. */
interface Senders {
  readonly allows: (ends: Ends) => boolean
  /** Whether Workers send it, too: they serve the requests of one cluster to its own objects. */
  readonly includesWorkers?: true
}

const fromDefault: Senders = { allows: ({ sender }) => sender === defaultCluster }
const toDefault: Senders = { allows: ({ receiver }) => receiver === defaultCluster }
/** The receiver's own record of the fork decides: see `ForkHolds.requireAgreement` and `ClusterObject.requireParent`. */
const betweenForks: Senders = { allows: () => true }

/** The senders of each message that crosses clusters, by method and path. */
const crossings: ReadonlyMap<string, Senders> = new Map([
  [`PUT ${clusterRecordPath}`, fromDefault],
  [`PUT ${signpostPath}`, fromDefault],
  [`POST ${forkPaths.hold}`, fromDefault],
  [`POST ${clusterReportPath}`, toDefault],
  // A control object that reports has to learn where the Cluster objects are.
  [
    'GET /health',
    { allows: ({ sender, receiver }) => sender === receiver || receiver === defaultCluster, includesWorkers: true },
  ],
  [`POST ${forkPaths.progress}`, betweenForks],
  [`GET ${forkPaths.past}`, betweenForks],
  [`GET ${forkPaths.pastObject}`, betweenForks],
  [`GET ${forkPaths.pastObjects}`, betweenForks],
  [`POST ${forkPaths.complete}`, betweenForks],
])

/** Returns the cluster that has sent a message; undefined if a Worker has. */
export function senderOf({ headers }: Request): string | undefined {
  const name = headers.get(senderHeader)
  return name === null ? undefined : clusterOf(name)
}

/**
 * Checks that a message may reach an object.
 * @param receiver the name of the object
 * @throws ApiError 403 if the sender is of a cluster that may not send it; 503 if an earlier release does not tell its sender
 */
export function requireSender(request: Request, receiver: string): void {
  const sender = senderOf(request)
  const own = clusterOf(receiver)
  const senders = request.url === collectionUrl ? undefined : sendersOf(request)
  if (senders === undefined) {
    if (sender !== undefined && sender !== own) throw refused(sender, own)
  } else if (sender !== undefined) {
    if (!senders.allows({ sender, receiver: own })) throw refused(sender, own)
  } else if (senders.includesWorkers !== true) throw otherRelease()
}

function sendersOf({ method, url }: Request): Senders | undefined {
  const { pathname } = new URL(url)
  return crossings.get(`${method} ${pathname.slice(protocolPath.length)}`)
}

const refused = (sender: string, receiver: string): ApiError =>
  new ApiError(403, 'Forbidden', `the cluster ${sender} may not send this message to the cluster ${receiver}`)
