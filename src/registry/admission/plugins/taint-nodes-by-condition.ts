/** The admission plugin TaintNodesByCondition: taints a new Node as not ready until its conditions are known. */
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { AdmissionPlugin } from '../plugin.ts'

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

interface Node extends KubernetesObject {
  spec: { taints?: { key: string; effect: string }[] }
}

/** Adds the taint on a CREATE of a Node. Follows the plugin of k8s.io/kubernetes. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  handlers: [
    {
      operations: ['CREATE'],
      resources: ['nodes'],
      admit(_attributes, object) {
        const { spec } = object as Node
        const { taints = [] } = spec
        if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return
        spec.taints = [...taints, { ...notReady }]
      },
    },
  ],
}
