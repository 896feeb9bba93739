/** The annotations of the namespace of a request, which configure some plugins. */
import type { WorkerLookup } from '../../meta/lookups.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { storedObject } from '../facts/stored-object.ts'
import type { AdmissionAttributes, ValidatingContext } from './plugin.ts'
import { missingNamespace } from './plugins/namespace-lifecycle.ts'

/** Makes the lookup of the namespace of a request. */
export const namespaceObject = ({ namespace }: AdmissionAttributes): WorkerLookup<KubernetesObject | null> =>
  storedObject.lookup({ group: '', version: 'v1', resource: 'namespaces', namespace: '', name: namespace })

/** Returns the annotations. @throws ApiError 404 if the namespace does not exist, MissingLookups */
export function namespaceAnnotations(
  attributes: AdmissionAttributes,
  { lookups }: Pick<ValidatingContext, 'lookups'>,
): Readonly<Record<string, string>> {
  const found = lookups.get(namespaceObject(attributes))
  if (found === null) throw missingNamespace(attributes.namespace)
  return found.metadata.annotations ?? {}
}
