/**
 * Changes of workloads: fields of their first versions are annotations in apps/v1. Follows
 * k8s.io/kubernetes/pkg/apis/apps/v1/conversion.go, v1beta1/conversion.go and extensions/v1beta1/conversion.go.
 */
import { isRawNumber, rawNumber } from '../../go/json.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { rollbackTo, templateGeneration } from '../defaulting/deprecated-annotations.ts'
import { annotationOf, type Changes, objectAt, setAnnotation } from './fields.ts'

/** Returns the text as an int64; undefined if it is not one. */
function integer(text: string | undefined): JsonValue | undefined {
  if (text === undefined || !/^[+-]?\d{1,19}$/.test(text)) return undefined
  const value = BigInt(text)
  if (value !== BigInt.asIntN(64, value)) return undefined
  return Number.isSafeInteger(Number(value)) ? Number(value) : rawNumber(String(value))
}

const integerText = (value: JsonValue | undefined): string => (isRawNumber(value) ? value.rawJSON : String(value ?? 0))

/** spec.rollbackTo is an annotation. */
export const deploymentChanges: Changes = {
  toStorage: (object) => {
    const rollback = objectAt(objectAt(object, 'spec'), 'rollbackTo')
    setAnnotation(object, rollbackTo, rollback && integerText(rollback.revision))
  },
  fromStorage: (object) => {
    const revision = integer(annotationOf(object, rollbackTo))
    const spec = objectAt(object, 'spec')
    setAnnotation(object, rollbackTo, undefined)
    if (revision !== undefined && spec !== undefined) spec.rollbackTo = { revision }
  },
}

/** spec.templateGeneration is an annotation. */
export const daemonSetChanges: Changes = {
  toStorage: (object) => setAnnotation(object, templateGeneration, integerText(objectAt(object, 'spec')?.templateGeneration)),
  fromStorage: (object) => {
    const generation = integer(annotationOf(object, templateGeneration))
    const spec = objectAt(object, 'spec')
    setAnnotation(object, templateGeneration, undefined)
    if (generation !== undefined && spec !== undefined) spec.templateGeneration = generation
  },
}

/** In apps/v1beta1 status.observedGeneration is behind a pointer. */
export const statefulSetChanges: Changes = {
  fromStorage: (object) => {
    const status = objectAt(object, 'status')
    if (status !== undefined) status.observedGeneration ??= 0
  },
}
