/** No objects are created in a namespace that is not there or is on its way out, and three namespaces are never deleted. */
import { workerLookup } from '../../../clusters/lookups.ts'
import type { NamespacePhase } from '../../../clusters/namespace-phase.ts'
import { ApiError, forbidden, notFound } from '../../../meta/errors.ts'
import type { WorkerLookup } from '../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from '../plugin.ts'

const namespaces = { group: '', resource: 'namespaces' }

/** The namespaces without which the API does not work. */
const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public'])

/** A namespaced kind whose request names no namespace is refused elsewhere, by its name. */
const isNamespaced = ({ kind, namespace }: AdmissionAttributes): boolean => kind.namespaced && namespace !== ''

const phaseLookup = ({ namespace }: AdmissionAttributes): WorkerLookup<NamespacePhase | null> =>
  workerLookup('namespacePhase', { namespace }, `namespacePhase ${namespace}`)

function terminating(attributes: AdmissionAttributes, object: KubernetesObject): ApiError {
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

/** Runs on every CREATE in a namespace and on the DELETE of a namespace. It changes nothing. Follows the plugin of k8s.io/apiserver. */
export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  handlers: [
    {
      operations: ['CREATE'],
      resources: 'any',
      lookups: (attributes) => (isNamespaced(attributes) ? [phaseLookup(attributes)] : []),
      admit(attributes, object, _old, { lookups }) {
        if (!isNamespaced(attributes)) return
        const phase = lookups.get(phaseLookup(attributes))
        if (phase === null) throw notFound(namespaces, attributes.namespace)
        if (phase !== 'Active') throw terminating(attributes, object)
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
