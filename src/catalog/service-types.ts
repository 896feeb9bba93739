/** Questions about Services whose answer follows from their type. */
import type { Service } from './generated/types/core.v1.ts'

/** The address of a Service that has none on purpose. */
export const headless = 'None'

/** Whether Services of this type have addresses of their own. */
export const needsClusterIp = ({ spec }: Service): boolean => spec.type !== 'ExternalName'

/** Whether Services of this type may have ports on every node. */
export const mayHaveNodePort = ({ spec }: Service): boolean => spec.type === 'NodePort' || spec.type === 'LoadBalancer'

/** Whether the Service gets ports on every node without asking for each. */
export const needsNodePort = ({ spec }: Service): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)

/** Whether a load balancer asks the nodes for the Service's health on a port of its own. */
export const needsHealthCheck = ({ spec }: Service): boolean =>
  spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local'

/** Whether the Service can be reached from outside the cluster. */
export const isExternallyAccessible = (service: Service): boolean =>
  mayHaveNodePort(service) || (service.spec.type === 'ClusterIP' && (service.spec.externalIPs ?? []).length > 0)
