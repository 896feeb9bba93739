/** The admission plugin AlwaysPullImages: the kubelet pulls the images of Pods at every start. Disabled by default. */
import type { Pod, PodSpec } from '../../../catalog/generated/types/core.v1.ts'
import { containersOf } from '../../../catalog/validation/pod/windows.ts'
import { ApiError } from '../../../meta/errors.ts'
import { aggregateTexts, asJson, type FieldError, notSupported } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from '../plugin.ts'

const always = 'Always'

const imagesOf = (spec: PodSpec): string[] => [...containersOf(spec, 'spec')].map(([{ image = '' }]) => image)

/** Whether an update refers to no image that the Pod did not have. */
function hasNoNewImages(object: KubernetesObject, old: KubernetesObject | undefined): boolean {
  if (old === undefined) return false
  const before = new Set(imagesOf((old as Pod).spec))
  return imagesOf((object as Pod).spec).every((image) => before.has(image))
}

function pullAlways(_attributes: unknown, object: KubernetesObject, old: KubernetesObject | undefined): void {
  if (hasNoNewImages(object, old)) return
  const { spec } = object as Pod
  for (const [container] of containersOf(spec, 'spec')) container.imagePullPolicy = always
  for (const { image } of spec.volumes ?? []) if (image !== undefined) image.pullPolicy = always
}

function policyErrors(spec: PodSpec): FieldError[] {
  const unlessAlways = (policy: string | undefined, field: string): FieldError[] =>
    policy === always ? [] : [notSupported(field, asJson(policy ?? ''), [always])]
  return [
    ...[...containersOf(spec, 'spec')].flatMap(([{ imagePullPolicy }, field]) =>
      unlessAlways(imagePullPolicy, `${field}.imagePullPolicy`),
    ),
    ...(spec.volumes ?? []).flatMap(({ image }, index) =>
      image === undefined ? [] : unlessAlways(image.pullPolicy, `spec.volumes[${index}].image.pullPolicy`),
    ),
  ]
}

/** Rejects other policies, which a later mutation may have set. kube-apiserver joins the 403 errors to one without a code. */
function requireAlways(attributes: AdmissionAttributes, object: KubernetesObject, old: KubernetesObject | undefined): void {
  if (hasNoNewImages(object, old)) return
  const texts = policyErrors((object as Pod).spec).map(
    ({ field, text }) => admissionForbidden(attributes, object, `${field}: ${text}`).message,
  )
  if (texts.length > 0) throw new ApiError(500, '', aggregateTexts(texts))
}

/**
 * Sets the pull policy of all containers and image volumes on a CREATE, and on an UPDATE with a new image. Follows the plugin of
 * k8s.io/kubernetes.
 */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  handlers: [{ operations: ['CREATE', 'UPDATE'], resources: ['pods'], admit: pullAlways, validate: requireAlways }],
}
