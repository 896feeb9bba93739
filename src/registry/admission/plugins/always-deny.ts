/** The admission plugin AlwaysDeny: rejects every request. Deprecated, and disabled by default. */
import { type AdmissionHandler, type AdmissionPlugin, admissionForbidden } from '../plugin.ts'

const reject: NonNullable<AdmissionHandler['admit']> = (attributes, object) => {
  throw admissionForbidden(attributes, object, 'admission control is denying all modifications')
}

/** Rejects all operations in the mutating phase, after all other plugins. Follows the plugin of k8s.io/kubernetes. */
export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  handlers: [{ operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'], resources: 'any', admit: reject }],
}
