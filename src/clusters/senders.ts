/**
 * The senders of messages. A Durable Object tells its own name with each request to another one, and everything stays in its cluster
 * but the messages that name other senders in their protocol (docs/decisions/cluster-isolation.md).
 */
import { ApiError, otherRelease } from '../meta/errors.ts'
import { clusterOf, defaultCluster } from './placement.ts'

/** The header of requests between Durable Objects with the name of the sender. Workers send none. */
export const senderHeader = 'edgeplane-sender'

/** The headers with which the deployment itself sends a message, as tests do. */
export const ofDeployment = { [senderHeader]: `${defaultCluster}/control` } as const

/** The clusters of the two ends of a message. */
interface Ends {
  readonly sender: string
  readonly receiver: string
}

/** The senders of a message. */
export interface Senders {
  readonly allows: (ends: Ends) => boolean
  /** Whether Workers send it, too: they serve the requests of one cluster to its own objects. */
  readonly includesWorkers: boolean
}

/** The cluster of the receiver, and the Workers. */
export const ownCluster: Senders = { allows: ({ sender, receiver }) => sender === receiver, includesWorkers: true }
/** The default cluster, which holds the Cluster objects. */
export const fromDefault: Senders = { allows: ({ sender }) => sender === defaultCluster, includesWorkers: false }
/** Any cluster, if the receiver is of the default cluster. */
export const toDefault: Senders = { allows: ({ receiver }) => receiver === defaultCluster, includesWorkers: false }
/** Any cluster: the receiver's own record of the fork decides (`ForkHolds.requireAgreement`, `requireParent`). */
export const betweenForks: Senders = { allows: () => true, includesWorkers: false }
/** The own cluster, and any if the receiver is of the default cluster: one that reports has to learn where the Cluster objects are. */
export const ownAndToDefault: Senders = {
  allows: (ends) => ownCluster.allows(ends) || toDefault.allows(ends),
  includesWorkers: true,
}

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
export function requireSender(request: Request, { allows, includesWorkers }: Senders, receiver: string): void {
  const sender = senderOf(request)
  const own = clusterOf(receiver)
  if (sender === undefined) {
    if (!includesWorkers) throw otherRelease()
  } else if (!allows({ sender, receiver: own })) {
    throw new ApiError(403, 'Forbidden', `the cluster ${sender} may not send this message to the cluster ${own}`)
  }
}
