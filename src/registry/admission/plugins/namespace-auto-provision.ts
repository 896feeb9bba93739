/** The admission plugin NamespaceAutoProvision: creates the namespace of a new object. Disabled by default. */
import { namespaceLookup, workerLookup } from '../../../clusters/lookups.ts'
import { type AdmissionPlugin, admissionForbidden } from '../plugin.ts'

/** Creates the namespace on a CREATE in it. Follows the plugin of k8s.io/kubernetes. */
export const namespaceAutoProvision: AdmissionPlugin = {
  name: 'NamespaceAutoProvision',
  handlers: [
    {
      operations: ['CREATE'],
      resources: 'any',
      lookups: ({ kind, namespace }) => (kind.namespaced && namespace !== '' ? [namespaceLookup(namespace)] : []),
      admit(attributes, object, _old, { lookups }) {
        const { kind, namespace, dryRun } = attributes
        if (dryRun || !kind.namespaced || namespace === '') return
        if (lookups.get(namespaceLookup(namespace)) !== null) return
        const provisioned = lookups.get(workerLookup('provisionedNamespace', { namespace }))
        if ('problem' in provisioned) throw admissionForbidden(attributes, object, provisioned.problem)
        // The plugins that follow see the new namespace.
        lookups.set(namespaceLookup(namespace).key, provisioned.namespace)
      },
    },
  ],
}
