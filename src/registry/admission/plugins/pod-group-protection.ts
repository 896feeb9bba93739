/** The admission plugin PodGroupProtection: a finalizer protects PodGroups. kube-controller-manager removes it. */
import { orderFields } from '../../../catalog/field-order.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import type { AdmissionPlugin } from '../plugin.ts'

const finalizer = 'scheduling.k8s.io/podgroup-protection'

/** Adds the finalizer on CREATE. Follows the plugin of k8s.io/kubernetes. */
export const podGroupProtection: AdmissionPlugin = {
  name: 'PodGroupProtection',
  handlers: [
    {
      operations: ['CREATE'],
      resources: ['podgroups.scheduling.k8s.io'],
      admit({ kind }, object) {
        const { metadata } = object
        const finalizers = metadata.finalizers ?? []
        if (finalizers.includes(finalizer)) return
        metadata.finalizers = [...finalizers, finalizer]
        orderFields(kind.type, object as unknown as JsonValue)
      },
    },
  ],
}
