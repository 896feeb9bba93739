/** The servers of APIServices, as the control object of a cluster reaches them. */
import { frontProxySettingsOf, ReachableBackends } from '../auth/front-proxy/backends.ts'
import type { ServerAccess } from '../auth/front-proxy/read-document.ts'
import { UserTokenIssuer } from '../auth/front-proxy/user-tokens.ts'
import { clustersPath } from '../clusters/cluster-path.ts'
import { defaultCluster } from '../clusters/placement.ts'
import { ConnectionPool } from '../clusters/webhooks/pinned-fetch.ts'
import type { Kernel } from '../controllers/kernel.ts'
import type { TokenSigner } from '../controllers/token-signer.ts'

/** Returns the access to the servers. @param signer signs the identity of this server */
export function serverAccessOf({ settings, cluster, webhooks }: Kernel, signer: TokenSigner): ServerAccess {
  const issuer = settings.serviceAccountIssuer + (cluster === defaultCluster ? '' : clustersPath + cluster)
  return {
    backends: new ReachableBackends(frontProxySettingsOf(settings, cluster), webhooks),
    pool: new ConnectionPool(),
    tokens: new UserTokenIssuer((claims) => signer.sign(claims), issuer),
  }
}
