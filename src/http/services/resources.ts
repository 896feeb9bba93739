/** The services that the handlers of resources alone use. */
import { ImageReviews } from '../../auth/webhook/image-reviews.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { settingValues } from '../../config/settings.ts'
import { writesInCluster } from '../../controllers/admitted-writes.ts'
import type { User } from '../../meta/user.ts'
import { nodeNetwork } from '../verbs/connect/network.ts'
import { type NodeAccess, noNodes } from '../verbs/connect/node-access.ts'
import type { ServerConfig, SharedServices } from './shared.ts'

/** Returns the access to nodes. The certificate for kubelets is the deployment's. */
function nodesOf({ isDefault }: SharedServices, { environment, settings, nodeNetwork: network }: ServerConfig): NodeAccess {
  if (network === undefined) return noNodes
  return isDefault
    ? nodeNetwork(settings, { network, names: environment.NODE_NETWORK })
    : nodeNetwork(settingValues({}), { network })
}

/**
 * Makes the services of resources.
 * @param clientFor returns the client with which a controller acts as a user
 */
export function resourceServices(shared: SharedServices, config: ServerConfig, clientFor: (user: User) => CollectionClient) {
  const { client, policy } = shared
  const { settings } = config
  const { imagePolicy } = settings.admission
  return {
    admissionSettings: settings.admission,
    writesOf: writesInCluster({
      collections: client,
      currentAdmission: async () => (await policy.current()).admission,
      client: clientFor,
    }),
    nodes: nodesOf(shared, config),
    imageReviews: imagePolicy && new ImageReviews(imagePolicy, settings.fetchOf),
    watches: settings.watches,
  }
}
