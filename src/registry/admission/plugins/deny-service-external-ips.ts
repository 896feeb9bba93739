/** The admission plugin DenyServiceExternalIPs: Services get no further external IPs. Disabled by default. */
import type { Service } from '../../../catalog/generated/types/core.v1.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { type AdmissionPlugin, admissionForbidden } from '../plugin.ts'

const externalIps = (object: KubernetesObject | undefined): readonly string[] =>
  (object as Service | undefined)?.spec.externalIPs ?? []

/** Validates a CREATE and an UPDATE of a Service. Follows the plugin of k8s.io/kubernetes. */
export const denyServiceExternalIps: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  handlers: [
    {
      operations: ['CREATE', 'UPDATE'],
      resources: ['services'],
      validate(attributes, object, old) {
        const before = externalIps(old)
        if (externalIps(object).every((ip) => before.includes(ip))) return
        throw admissionForbidden(attributes, object, 'Use of external IPs is denied by admission control')
      },
    },
  ],
}
