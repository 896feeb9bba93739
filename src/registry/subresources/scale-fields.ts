/** The fields of objects that appear in their Scale: requested replicas, current replicas, and the selector of the Pods. */
import type { Kind, ScalePaths } from '../../catalog/kind.ts'
import { scalePrinter } from '../../catalog/printers/autoscaling.ts'
import { ageColumn, type ColumnOf, name, printer } from '../../catalog/printers/column.ts'
import { child, number } from '../../catalog/printers/read.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { type Nested, nestedInteger, nestedText } from '../../go/nested-fields.ts'
import { ApiError, badRequest, invalid } from '../../meta/errors.ts'
import { type FieldError, invalidValue } from '../../meta/field-error.ts'
import { formatLabelSelector } from '../../meta/label-selector.ts'
import { type LabelSelectorObject, labelSelectorFrom } from '../../meta/label-selector-object.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { kindMetaErrors } from '../create.ts'
import { strategyOf } from '../strategy.ts'
import { type Scale, type ScaleFields, unsetReplicas } from './scale.ts'

/** An object of a built-in kind with replicas. */
interface Scalable extends KubernetesObject {
  spec: { replicas?: number; selector?: LabelSelectorObject | Record<string, string> }
  status?: { replicas?: number }
}

/** Formats the selector of the Pods. A ReplicationController's selector is a map of labels, all others are LabelSelectors. */
function selectorText({ spec: { selector } }: Scalable): string {
  if (selector === undefined) return ''
  const isObject = Object.values(selector).some((value) => typeof value !== 'string')
  try {
    return formatLabelSelector(labelSelectorFrom(isObject ? selector : { matchLabels: selector as Record<string, string> }))
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : '')
  }
}

function scaleErrors(kind: Kind, scale: Scale): FieldError[] {
  const { replicas = 0 } = scale.spec
  return [
    ...kindMetaErrors(scale, strategyOf(kind), kind),
    ...(replicas < 0 ? [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')] : []),
  ]
}

/** The Scale fields of built-in kinds. */
export const builtInScaleFields: ScaleFields = {
  printer: scalePrinter,
  path: ['spec', 'replicas'],
  replicas: (object) => (object as Scalable).spec.replicas ?? 0,
  status: (object) => ({
    replicas: (object as Scalable).status?.replicas ?? 0,
    selector: selectorText(object as Scalable),
  }),
  check: (kind, scale, name) => {
    const errors = scaleErrors(kind, scale)
    if (errors.length > 0) throw invalid(kind, name, errors)
  },
}

/** Returns the labels that a selector requires, if it requires nothing else. */
function labelsOf({ spec: { selector } }: Scalable): Record<string, string> | undefined {
  const { matchLabels, matchExpressions } = (selector ?? {}) as LabelSelectorObject
  return (matchExpressions ?? []).length === 0 && Object.keys(matchLabels ?? {}).length > 0 ? matchLabels : undefined
}

/**
 * The Scale fields of the first versions of workloads, whose Scale has the selector as a map of labels besides its text. Follows
 * ScaleStatus of k8s.io/kubernetes/pkg/apis/apps/v1beta1/conversion.go.
 */
export const formerScaleFields: ScaleFields = {
  ...builtInScaleFields,
  status: (object) => {
    const selector = labelsOf(object as Scalable)
    const targetSelector = selectorText(object as Scalable)
    return {
      replicas: (object as Scalable).status?.replicas ?? 0,
      ...(selector !== undefined && { selector }),
      ...(targetSelector !== '' && { targetSelector }),
    }
  },
}

const replicasColumn = (name: string, description: string, part: 'spec' | 'status'): ColumnOf<JsonObject> => ({
  name,
  type: 'integer',
  description,
  // A Scale has no requested replicas if they are 0.
  cell: (scale) => (child(scale, part).replicas === undefined ? null : number(child(scale, part), 'replicas')),
})

/** apiextensions-apiserver prints Scales of custom resources with these columns. */
const customScalePrinter = printer([
  name,
  replicasColumn('Desired', 'Number of desired replicas', 'spec'),
  replicasColumn('Available', 'Number of actual replicas', 'status'),
  { ...ageColumn, type: 'date' },
])

/** Returns a field of an object. Throws the error of a field of another type as an ApiError. */
function fieldAt<T>(
  read: (object: JsonObject, path: readonly string[]) => Nested<T>,
  object: KubernetesObject,
  path: readonly string[],
): T | undefined {
  const found = read(object as unknown as JsonObject, path)
  if ('error' in found) throw new ApiError(500, '', found.error)
  return found.value
}

/** Returns the Scale fields of custom resources, at the paths of their definition. */
export function customScaleFields({ specReplicas, statusReplicas, labelSelector }: ScalePaths): ScaleFields {
  return {
    printer: customScalePrinter,
    path: specReplicas,
    replicas: (object) => fieldAt(nestedInteger, object, specReplicas),
    status: (object) => {
      const replicas = fieldAt(nestedInteger, object, statusReplicas) ?? 0
      const selector = labelSelector && fieldAt(nestedText, object, labelSelector)
      return { replicas, ...(selector !== undefined && selector !== '' && { selector }) }
    },
    check: (_kind, { spec }) => {
      if (spec.replicas === unsetReplicas) {
        throw badRequest(`the spec replicas field ".${specReplicas.join('.')}" cannot be empty`)
      }
    },
  }
}
