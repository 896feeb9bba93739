import { controlProtocol } from '../../clusters/control-protocol.ts'
import { send } from '../../clusters/message.ts'
import type { ObjectProtocol } from '../../clusters/object-protocol.ts'
import { senderOf } from '../../clusters/senders.ts'
import { copiedCollections } from '../../controllers/fork/wiring.ts'
import type { Kernel } from '../../controllers/kernel.ts'
import { ApiError } from '../../meta/errors.ts'
import type { ObjectCopies } from '../object-copies.ts'
import type { FeatureOf } from './feature-handlers.ts'

/** The copies of an object, and of those of which it has to take care. */
export interface CopyRules {
  /** The clusters whose objects may ask this one to complete its copies. */
  readonly isParent: (cluster: string) => boolean
  /** Copies collections that are still to be copied from another cluster; all of them without a list. */
  readonly copy: (prefixes?: readonly string[]) => Promise<void>
}

/** Forks: answers those of this cluster, and copies what this cluster, as a fork, has still to copy. */
export function copies(
  { client, queues }: Kernel,
  { past }: ObjectCopies,
  { isParent, copy }: CopyRules,
): FeatureOf<ObjectProtocol, 'past' | 'pastObject' | 'pastObjects' | 'completeFork'> {
  /** Admits a fork that reads collections. If this cluster is itself a fork, they are copied here before. */
  const admitFork = async (uid: string, prefixes: readonly string[], request: Request): Promise<void> => {
    const identity = { uid, cluster: senderOf(request) ?? '' }
    await send(client.control(), controlProtocol.forkAgreement, { ...identity, prefix: prefixes })
    await copy(prefixes)
  }
  return {
    copied: (prefix) => queues.add(copiedCollections, prefix),
    handlers: {
      past: async ({ uid, prefix, time }, request) => {
        await admitFork(uid, prefix, request)
        return past.state(prefix, time)
      },
      pastObject: async ({ uid, prefix, version, key }, request) => {
        await admitFork(uid, prefix, request)
        return key.startsWith(`${prefix[0]}/`) ? past.object(key, version) : undefined
      },
      pastObjects: async ({ uid, prefix, version, after }, request) => {
        await admitFork(uid, prefix, request)
        return new Response(past.objects(prefix, version, after))
      },
      completeFork: async (_, request) => {
        const cluster = senderOf(request) ?? ''
        if (!isParent(cluster)) throw new ApiError(403, 'Forbidden', `the cluster ${cluster} is not the parent`)
        await copy()
      },
    },
  }
}
