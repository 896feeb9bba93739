/** The admission plugin PodNodeSelector: Pods get the node selector of their namespace. Disabled by default. */
import type { Pod } from '../../../catalog/generated/types/core.v1.ts'
import { ApiError, forbidden } from '../../../meta/errors.ts'
import { invalidValue } from '../../../meta/field-error.ts'
import type { Labels } from '../../../meta/label-selector.ts'
import { isLabelValue, isQualifiedName } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { namespaceAnnotations, namespaceObject } from '../namespace-annotations.ts'
import type { AdmissionAttributes, AdmissionPlugin, ValidatingContext } from '../plugin.ts'

const annotation = 'scheduler.alpha.kubernetes.io/node-selector'
const clusterDefault = 'clusterDefaultNodeSelector'

/** A wrong selector is an error without a code in kube-apiserver. */
const wrongSelector = (message: string): ApiError => new ApiError(500, '', message)

/** Parses `key=value,key=value` (labels.ConvertSelectorToLabelsMap). @throws ApiError 500 */
function labelsIn(selector: string): Labels {
  if (selector === '') return {}
  const entries = selector.split(',').map((text): [string, string] => {
    const parts = text.split('=')
    const [key = '', value = ''] = parts.map((part) => part.trim())
    if (parts.length !== 2) throw wrongSelector(`invalid selector: [${parts.join(' ')}]`)
    const keyErrors = isQualifiedName(key)
    if (keyErrors.length > 0) throw wrongSelector(`<nil>: ${invalidValue('', key, keyErrors.join('; ')).text}`)
    const valueErrors = isLabelValue(value)
    if (valueErrors.length > 0) throw wrongSelector(`[${key}]: ${invalidValue('', value, valueErrors.join('; ')).text}`)
    return [key, value]
  })
  return Object.fromEntries(entries)
}

const conflicts = (one: Labels, other: Labels): boolean =>
  Object.entries(one).some(([key, value]) => Object.hasOwn(other, key) && other[key] !== value)

const isSubset = (labels: Labels, allowed: Labels): boolean =>
  Object.keys(allowed).length === 0 || Object.entries(labels).every(([key, value]) => allowed[key] === value)

/** Returns the selector of the namespace, or that of the cluster. */
function selectorOf(attributes: AdmissionAttributes, context: Pick<ValidatingContext, 'lookups' | 'settings'>): Labels {
  const own = namespaceAnnotations(attributes, context)[annotation]
  return labelsIn(own ?? context.settings.nodeSelectors[clusterDefault] ?? '')
}

function requireAllowed(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  _old: unknown,
  context: Pick<ValidatingContext, 'lookups' | 'settings'>,
): void {
  const { spec, metadata } = object as Pod
  const refuse = (why: string): ApiError => forbidden(attributes.kind, metadata.name ?? '', why)
  const selector = spec.nodeSelector ?? {}
  if (conflicts(selectorOf(attributes, context), selector)) {
    throw refuse('pod node label selector conflicts with its namespace node label selector')
  }
  const allowed = labelsIn(context.settings.nodeSelectors[attributes.namespace] ?? '')
  if (!isSubset(selector, allowed)) throw refuse('pod node label selector labels conflict with its namespace whitelist')
}

/** Adds the selector on a CREATE of a Pod, and validates the result. Follows the plugin of k8s.io/kubernetes. */
export const podNodeSelector: AdmissionPlugin = {
  name: 'PodNodeSelector',
  handlers: [
    {
      operations: ['CREATE'],
      resources: ['pods'],
      lookups: (attributes) => [namespaceObject(attributes)],
      admit(attributes, object, old, context) {
        const { spec } = object as Pod
        const added = selectorOf(attributes, context)
        const own = spec.nodeSelector ?? {}
        const merged = { ...added, ...own }
        if (!conflicts(added, own) && Object.keys(merged).length > 0) spec.nodeSelector = merged
        requireAllowed(attributes, object, old, context)
      },
      validate: requireAllowed,
    },
  ],
}
