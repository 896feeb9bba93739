/** The admission plugin NamespaceExists: rejects all writes in a namespace that does not exist. Disabled by default. */
import { namespaceLookup } from '../../../clusters/lookups.ts'
import type { AdmissionAttributes, AdmissionPlugin } from '../plugin.ts'
import { missingNamespace } from './namespace-lifecycle.ts'

/** Whether the request is in a namespace; a Namespace itself is not. */
const isInNamespace = ({ kind, namespace }: AdmissionAttributes): boolean => kind.namespaced && namespace !== ''

/** Validates CREATE, UPDATE and DELETE. Follows the plugin of k8s.io/kubernetes. */
export const namespaceExists: AdmissionPlugin = {
  name: 'NamespaceExists',
  handlers: [
    {
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      resources: 'any',
      lookups: (attributes) => (isInNamespace(attributes) ? [namespaceLookup(attributes.namespace)] : []),
      validate(attributes, _object, _old, { lookups }) {
        if (!isInNamespace(attributes)) return
        if (lookups.get(namespaceLookup(attributes.namespace)) === null) throw missingNamespace(attributes.namespace)
      },
    },
  ],
}
