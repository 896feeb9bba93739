/** The default labels of Jobs and ReplicationControllers, which are those of their pod template. */
import type { PodTemplateSpec } from '../../catalog/generated/types/core.v1.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

interface Templated extends KubernetesObject {
  readonly spec?: { readonly template?: PodTemplateSpec }
}

/**
 * Gives an object without labels those of its template. kube-apiserver does this when it reads the object: also after a write to
 * /status, whose template is the stored one and not that of the body.
 */
export function setTemplateLabels(object: KubernetesObject): void {
  const { metadata, spec } = object as Templated
  const labels = spec?.template?.metadata.labels
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels }
}
