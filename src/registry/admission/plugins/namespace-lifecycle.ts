/**
 * The admission plugin NamespaceLifecycle: rejects creates in missing or terminating namespaces, and the deletion of three system
 * namespaces.
 */
import { namespaceLookup } from '../../../clusters/lookups.ts'
import { ApiError, forbidden, notFound } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from '../plugin.ts'

const namespaces = { group: '', resource: 'namespaces' }

/** Namespaces that cannot be deleted. */
const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

/** The review of a namespace, which may name one that does not exist. */
const accessReview = 'localsubjectaccessreviews'

/** Whether the request is in a namespace. A namespaced kind without a namespace is rejected by the name check. */
const isNamespaced = ({ kind, namespace }: AdmissionAttributes): boolean =>
  kind.namespaced && namespace !== '' && kind.resource !== accessReview

/** Returns the 403 error for a new object in a namespace that is being deleted. */
export function terminatingNamespace(
  attributes: Pick<AdmissionAttributes, 'kind' | 'name' | 'namespace'>,
  object: KubernetesObject,
): ApiError {
  const { namespace } = attributes
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  const { code, reason, message, details } = admissionForbidden(attributes, object, why)
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  }
  return new ApiError(code, reason, message, { ...details, causes: [cause] })
}

/** Returns the 404 error for a namespace. */
export const missingNamespace = (name: string): ApiError => notFound(namespaces, name)

/**
 * Checks every CREATE in a namespace and the DELETE of a namespace. Follows the plugin of k8s.io/apiserver. The fact may be a second
 * old, and a webhook may take longer: the commit asks again (`requireNamespaceAtCommit`).
 */
export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  handlers: [
    {
      operations: ['CREATE'],
      resources: 'any',
      lookups: (attributes) => (isNamespaced(attributes) ? [namespaceLookup(attributes.namespace)] : []),
      admit(attributes, object, _old, { lookups }) {
        if (!isNamespaced(attributes)) return
        const namespace = lookups.get(namespaceLookup(attributes.namespace))
        if (namespace === null) throw missingNamespace(attributes.namespace)
        if (namespace.phase !== 'Active') throw terminatingNamespace(attributes, object)
      },
    },
    {
      operations: ['DELETE'],
      resources: ['namespaces'],
      admit({ name }) {
        if (immortal.has(name)) throw forbidden(namespaces, name, 'this namespace may not be deleted')
      },
    },
  ],
}
