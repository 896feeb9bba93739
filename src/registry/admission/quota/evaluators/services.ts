/** Quota of Services. Follows services.go of k8s.io/kubernetes/pkg/quota/v1/evaluator/core. */

import type { Service } from '../../../../catalog/generated/types/core.v1.ts'
import type { QuotaFacts } from '../../../../clusters/quota-messages.ts'
import type { KubernetesObject } from '../../../../meta/object-meta.ts'
import type { Evaluator } from '../evaluator.ts'

const tracked = ['count/services', 'services', 'services.nodeports', 'services.loadbalancers']

/** Returns the number of node ports that the Service has or will get: they are allocated only after admission. */
function nodePortsOf({ spec }: Service): number {
  const { type, ports = [], allocateLoadBalancerNodePorts } = spec
  if (type === 'NodePort') return ports.length
  if (type !== 'LoadBalancer') return 0
  if (allocateLoadBalancerNodePorts !== false) return ports.length
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length
}

function factsOf(object: KubernetesObject): QuotaFacts {
  const service = object as Service
  return {
    usage: {
      'count/services': '1',
      services: '1',
      'services.loadbalancers': service.spec.type === 'LoadBalancer' ? '1' : '0',
      'services.nodeports': String(nodePortsOf(service)),
    },
  }
}

/** The evaluator of Services. A Service may change its type, so updates are handled too. */
export const services: Evaluator = {
  tracks: (name) => tracked.includes(name),
  handles: ({ subresource }) => subresource === '',
  factsOf,
  counted: ['count/services', 'services'],
  isByNumber: false,
}
