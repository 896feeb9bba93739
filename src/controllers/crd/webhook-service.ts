/** The network address of a Service: the server itself has no access to a cluster network. */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { findObject } from '../../clusters/read-object.ts'
import type { WebhookService } from '../../crd/conversion/webhook.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

interface Service extends KubernetesObject {
  readonly spec: {
    readonly type?: string
    readonly clusterIP?: string
    readonly externalName?: string
    readonly ports?: readonly { readonly port: number }[]
  }
}

/**
 * Returns `host:port` of a Service. The host name of an ExternalName can be reached; cluster IPs cannot. Follows ResolveCluster
 * of kube-apiserver.
 * @throws Error with upstream's reason
 */
export async function addressOf(objects: CollectionClient, service: WebhookService): Promise<string> {
  const { name, namespace, port = 443 } = service
  const found = await findObject<Service>(objects, { resource: 'services', namespace, name })
  if (found === undefined) throw new Error(`service "${name}" not found`)
  const { type, clusterIP, externalName, ports = [] } = found.spec
  if (type === 'ExternalName') return `${externalName}:${port}`
  if (clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"')
  if (!ports.some((each) => each.port === port)) throw new Error(`no service port ${port} found for service "${name}"`)
  throw new Error(`dial tcp ${clusterIP}:${port}: connect: no route to host`)
}
