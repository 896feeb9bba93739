/** Tells others about the copies of a fork: the parent, and the control object of the cluster. */
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { send } from '../../clusters/message.ts'
import type { ControlContext } from '../control-context.ts'
import type { Controller } from '../controller.ts'
import type { Kernel } from '../kernel.ts'

/** Tells the parent of a fork which history is still needed. */
export const forkProgress: Controller<ControlContext> = {
  name: 'fork-progress',
  rows: 'outbox/fork-progress/',
  open: ({ fork }) => ({
    reconcile: async () => {
      await fork.report()
      return 'done'
    },
  }),
}

/** Tells the control object of a fork which collections, named by their prefixes, have been copied. */
export const copiedCollections: Controller<Kernel> = {
  name: 'fork-copied',
  rows: 'outbox/fork-copied/',
  open: ({ client }) => ({
    reconcile: async (prefix) => {
      await send(client.control(), controlProtocol.collectionCopied, { prefix })
      return 'done'
    },
  }),
}
