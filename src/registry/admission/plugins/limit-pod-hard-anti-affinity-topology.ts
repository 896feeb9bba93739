/** The admission plugin LimitPodHardAntiAffinityTopology: required anti-affinity is by node. Disabled by default. */
import type { Pod } from '../../../catalog/generated/types/core.v1.ts'
import { forbidden } from '../../../meta/errors.ts'
import type { AdmissionPlugin } from '../plugin.ts'

const hostname = 'kubernetes.io/hostname'

/** Validates a CREATE and an UPDATE of a Pod. Follows the plugin of k8s.io/kubernetes. */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: 'LimitPodHardAntiAffinityTopology',
  handlers: [
    {
      operations: ['CREATE', 'UPDATE'],
      resources: ['pods'],
      validate({ kind }, object) {
        const { spec, metadata } = object as Pod
        const terms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
        const other = terms.find(({ topologyKey }) => topologyKey !== hostname)
        if (other === undefined) return
        const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey} but only key ${hostname} is allowed`
        throw forbidden(kind, metadata.name ?? '', why)
      },
    },
  ],
}
