import type { ObjectProtocol } from '../../clusters/object-protocol.ts'
import { senderOf } from '../../clusters/senders.ts'
import { clusterPrefix } from '../../controllers/cluster/collection.ts'
import { deleteExpired } from '../../controllers/cluster/expired.ts'
import { receiveUse } from '../../controllers/cluster/reports.ts'
import type { Kernel } from '../../controllers/kernel.ts'
import type { FeatureOf } from './feature-handlers.ts'

/** The Cluster objects, in the object that holds them. */
export const clusterObjects = (kernel: Kernel): FeatureOf<ObjectProtocol, 'reportCluster' | 'clusterNames'> => ({
  handlers: {
    reportCluster: async (report, request) => {
      // A cluster reports about itself alone.
      if (report.name !== senderOf(request)) return
      await (report.state === 'expired' ? deleteExpired : receiveUse)(kernel, report)
      await kernel.alarms.arm()
    },
    clusterNames: (names) => names.filter((name) => kernel.store.get(clusterPrefix + name) !== undefined),
  },
})
