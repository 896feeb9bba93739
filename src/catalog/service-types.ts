/** Facts about a Service that follow from its type. */
import type { Service } from './generated/types/core.v1.ts'

/** The clusterIP of a headless Service. */
export const headless = 'None'

/** Whether the Service gets cluster IPs. */
export const needsClusterIp = ({ spec }: Service): boolean => spec.type !== 'ExternalName'

/** Whether the Service may have node ports. */
export const mayHaveNodePort = ({ spec }: Service): boolean => spec.type === 'NodePort' || spec.type === 'LoadBalancer'

/** Whether the Service gets node ports without requesting them. */
export const needsNodePort = ({ spec }: Service): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)

/** Whether the Service gets a health check node port, on which a load balancer checks the nodes. */
export const needsHealthCheck = ({ spec }: Service): boolean =>
  spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local'

/** Whether the Service is reachable from outside the cluster. */
export const isExternallyAccessible = (service: Service): boolean =>
  mayHaveNodePort(service) || (service.spec.type === 'ClusterIP' && (service.spec.externalIPs ?? []).length > 0)
