/**
 * The admission of custom resources: rejects a create while the definition is being deleted. Follows forbidCreateAdmission of
 * apiextensions-apiserver.
 */
import { workerLookup } from '../../../clusters/lookups.ts'
import type { WorkerLookup } from '../../../meta/lookups.ts'
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from '../plugin.ts'

const lookupOf = ({ kind: { group, version, resource } }: AdmissionAttributes): WorkerLookup<boolean> =>
  workerLookup('definitionIsTerminating', { group, version, resource })

/** Rejects a CREATE of a custom resource, before all other plugins. */
export const forbidCreate: AdmissionPlugin = {
  name: 'ForbidCreate',
  handlers: [
    {
      operations: ['CREATE'],
      resources: 'custom',
      lookups: (attributes) => [lookupOf(attributes)],
      admit(attributes, object, _old, { lookups }) {
        if (!lookups.get(lookupOf(attributes))) return
        throw admissionForbidden(attributes, object, 'create not allowed while custom resource definition is terminating')
      },
    },
  ],
}
