/** The admission plugin ImagePolicyWebhook: a backend decides about the images of Pods. Disabled by default. */
import type { Pod } from '../../../catalog/generated/types/core.v1.ts'
import { type ImageReviewSpec, workerLookup } from '../../../clusters/lookups.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { type AdmissionAttributes, type AdmissionHandler, type AdmissionPlugin, admissionForbidden } from '../plugin.ts'

const auditPrefix = 'imagepolicywebhook.image-policy.k8s.io/'
const failedOpenAnnotation = 'alpha.image-policy.k8s.io/failed-open'

/** Returns the images under review, and the annotations that are meant for the backend. */
function specOf({ namespace, subresource }: AdmissionAttributes, { spec, metadata }: Pod): ImageReviewSpec {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec
  const reviewed = subresource === '' ? [...(containers ?? []), ...initContainers] : ephemeralContainers
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes('.image-policy.k8s.io/'))
  return {
    ...(reviewed.length > 0 && { containers: reviewed.map(({ image }) => (image === undefined ? {} : { image })) }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    ...(namespace !== '' && { namespace }),
  }
}

/** Allows a Pod although the backend failed. As in kube-apiserver, an annotation tells it. */
function failOpen({ metadata }: KubernetesObject, annotate: (key: string, value: string) => void): void {
  annotate(`${auditPrefix}failed-open`, 'true')
  metadata.annotations = { ...metadata.annotations, [failedOpenAnnotation]: 'true' }
}

const review: NonNullable<AdmissionHandler['validate']> = (attributes, object, _old, { settings, lookups, annotate }) => {
  const result = lookups.get(workerLookup('imageReview', specOf(attributes, object as Pod)))
  if ('problem' in result) {
    if (settings.imagePolicy?.defaultAllow === true) return failOpen(object, annotate)
    throw admissionForbidden(attributes, object, result.problem)
  }
  for (const [key, value] of Object.entries(result.auditAnnotations)) annotate(auditPrefix + key, value)
  if (result.allowed) return
  const why =
    result.reason === ''
      ? 'one or more images rejected by webhook backend'
      : `image policy webhook backend denied one or more images: ${result.reason}`
  throw admissionForbidden(attributes, object, why)
}

/** Validates the images on a CREATE and an UPDATE of a Pod and of its ephemeral containers. Follows the plugin of k8s.io/kubernetes. */
export const imagePolicyWebhook: AdmissionPlugin = {
  name: 'ImagePolicyWebhook',
  handlers: [{ operations: ['CREATE', 'UPDATE'], resources: ['pods', 'pods/ephemeralcontainers'], validate: review }],
}
