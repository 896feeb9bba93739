/**
 * The object without any content that kube-apiserver responds with where it has not read the stored one. Follows
 * Store.updateForGracefulDeletionAndFinalizers of k8s.io/apiserver, which returns what NewFunc has made.
 *
 * Recorded: del-garbage-finalizers.
 */
import { templateGeneration } from '../../catalog/defaulting/deprecated-annotations.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { JsonObject } from '../../go/json-value.ts'

const noReplicas: JsonObject = { replicas: 0 }

/** Fields that are always set in the internal version, but optional in the one of clients. */
const internalFields: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  'daemonsets.apps': { metadata: { annotations: { [templateGeneration]: '0' } } },
  'deployments.apps': { spec: noReplicas },
  'replicasets.apps': { spec: noReplicas },
  'statefulsets.apps': { spec: noReplicas },
}

/** Returns the JSON of an object whose fields are all unset. A custom resource then lacks even metadata. */
export function emptyObject({ codec, storage, typeMetaPrefix }: Kind): string {
  const object = codec.zero()
  for (const [name, fields] of Object.entries(internalFields[storage.prefix] ?? {})) {
    object[name] = { ...fields, ...(object[name] as JsonObject) }
  }
  const fields = JSON.stringify(object).slice(1)
  return fields === '}' ? `${typeMetaPrefix.slice(0, -1)}}` : `${typeMetaPrefix}${fields}`
}
