/** Control objects of new clusters. */

import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { WantedCluster } from '../../src/clusters/cluster-terms.ts'
import { controlProtocol } from '../../src/clusters/control-protocol.ts'
import { send } from '../../src/clusters/message.ts'
import type { ClusterPlacement } from '../../src/clusters/placement.ts'
import { withHeaders } from '../../src/clusters/protocol.ts'
import { ofDeployment } from '../../src/clusters/senders.ts'

/** The placement of the clusters in tests. */
export const placementInTests: ClusterPlacement = env.PLACEMENT === 'one-object' ? 'one-object' : 'collections'

/** Makes a named cluster. Returns its control object. */
export async function newControl(
  cluster: string = crypto.randomUUID(),
  placement = placementInTests,
): Promise<DurableObjectStub> {
  const wanted: WantedCluster = { uid: cluster, placement }
  const stub = (): DurableObjectStub => env.CONTROL.getByName(`${cluster}/control`)
  // The object is not restarted, also for another placement than the one with which it was opened: the first request is answered.
  await send(withHeaders(stub(), ofDeployment), controlProtocol.setCluster, wanted)
  // An object with another placement than the one with which it was opened is behind the first instance: tests look into the next.
  await evictDurableObject(stub())
  return stub()
}
