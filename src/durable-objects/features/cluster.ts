import { type ControlProtocol, controlProtocol } from '../../clusters/control-protocol.ts'
import { clusterUidHeader } from '../../clusters/protocol.ts'
import { senderOf } from '../../clusters/senders.ts'
import { errorResponse } from '../../clusters/wire-error.ts'
import { ClusterExpiry } from '../../controllers/cluster/life.ts'
import type { ClusterRecord } from '../../controllers/cluster/record.ts'
import { forkProgress } from '../../controllers/fork/wiring.ts'
import type { Feature, Kernel } from '../../controllers/kernel.ts'
import { ClusterElsewhere, ClusterReplaced, notFound } from '../../meta/errors.ts'
import { planKey } from '../backup/cluster-restore.ts'
import type { ClusterFork } from '../cluster-fork.ts'
import type { ClusterLife } from '../cluster-life.ts'
import type { ForkHolds } from '../fork-holds.ts'
import type { FeatureOf } from './feature-handlers.ts'

/** The names of the messages about a cluster as a whole. */
type ClusterMessage =
  | 'setCluster'
  | 'setRedirect'
  | 'reportUse'
  | 'holdHistory'
  | 'forkProgress'
  | 'forkAgreement'
  | 'keptHistory'
  | 'forkOrigin'
  | 'collectionCopied'

/** The parts of a cluster's life. */
export interface ClusterOfControl {
  readonly record: ClusterRecord
  readonly life: ClusterLife
  readonly holds: ForkHolds
  readonly fork: ClusterFork
}

/** A cluster that does not exist answers only the messages that make it. A request for an earlier cluster is refused. */
const admission =
  ({ record, life }: ClusterOfControl): NonNullable<Feature['admit']> =>
  (request, message) => {
    const uid = request.headers.get(clusterUidHeader)
    if (record.exists) return uid === null || uid === record.uid ? undefined : errorResponse(new ClusterReplaced())
    if (message === controlProtocol.setRedirect) return undefined
    // A later cluster with the name may be in another jurisdiction: the caller has to look for it again.
    if (uid !== null) return errorResponse(new ClusterReplaced())
    const { jurisdiction } = life
    if (jurisdiction !== undefined) return errorResponse(new ClusterElsewhere(jurisdiction))
    if (message?.answeredWhile.includes('absent') === true) return undefined
    return errorResponse(notFound({ group: 'edgeplane.dev', resource: 'clusters' }, record.cluster))
  }

/**
 * The life of the cluster: it is made, forked, and deleted.
 * @param reportExpiry asks for the deletion of the Cluster object
 */
export function clusterFeature(
  { ctx, queues }: Kernel,
  cluster: ClusterOfControl,
  reportExpiry: () => Promise<void>,
): FeatureOf<ControlProtocol, ClusterMessage> {
  const { record, life, holds, fork } = cluster
  return {
    jobs: [new ClusterExpiry(record, reportExpiry)],
    admit: admission(cluster),
    beforeAlarm: async () => (record.exists ? 'go on' : 'done'),
    emptied: () => {
      fork.end()
      queues.add(forkProgress, '')
    },
    restored: () => ctx.storage.kv.delete(planKey),
    handlers: {
      setCluster: (wanted) => life.set(wanted),
      setRedirect: (redirect) => life.setRedirect(redirect),
      reportUse: (report) => life.receiveUse(report),
      holdHistory: (wanted) => holds.hold(wanted),
      forkProgress: (progress, request) => holds.progress(progress, senderOf(request) ?? ''),
      forkAgreement: ({ prefix, ...identity }) => holds.requireAgreement(identity, prefix),
      keptHistory: ({ prefix, relies }) => (relies ? holds.answer(prefix) : { from: holds.keptFrom(prefix) }),
      forkOrigin: ({ prefix }) => fork.originOf(prefix),
      collectionCopied: ({ prefix }) => life.copied(prefix),
    },
  }
}
