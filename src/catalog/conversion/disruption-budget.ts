/**
 * Changes of PodDisruptionBudgets: an empty selector selects no Pods in v1beta1 and all Pods in v1. Follows
 * k8s.io/kubernetes/pkg/apis/policy/v1beta1/conversion.go.
 */
import type { JsonObject } from '../../go/json-value.ts'
import { type Changes, objectAt, objectsAt } from './fields.ts'

const label = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'

/** Whether a selector selects by the special label alone, with this operator. */
function isSpecial(selector: JsonObject, operator: 'Exists' | 'DoesNotExist'): boolean {
  const expressions = objectsAt(selector, 'matchExpressions')
  const [only] = expressions
  const hasLabels = Object.keys(objectAt(selector, 'matchLabels') ?? {}).length > 0
  const hasValues = Array.isArray(only?.values) && only.values.length > 0
  return !hasLabels && expressions.length === 1 && only?.key === label && only.operator === operator && !hasValues
}

const isEmpty = (selector: JsonObject): boolean =>
  objectsAt(selector, 'matchExpressions').length === 0 && Object.keys(objectAt(selector, 'matchLabels') ?? {}).length === 0

const special = (operator: 'Exists' | 'DoesNotExist'): JsonObject => ({ matchExpressions: [{ key: label, operator }] })

/** Removes requirements for the special label, which only a selector without others may have. */
function dropLabel(selector: JsonObject): void {
  const kept = objectsAt(selector, 'matchExpressions').filter(({ key }) => key !== label)
  if (kept.length > 0) selector.matchExpressions = kept
  else delete selector.matchExpressions
}

/** Makes the selector of a policy/v1 object one that v1beta1 can have too. kube-apiserver does so whenever it reads one. */
export function normalizeSelector(spec: JsonObject): void {
  const selector = objectAt(spec, 'selector')
  if (selector !== undefined && !isSpecial(selector, 'Exists')) dropLabel(selector)
}

function toStorage(spec: JsonObject, selector: JsonObject): void {
  if (isEmpty(selector)) spec.selector = special('Exists')
  else if (isSpecial(selector, 'DoesNotExist')) spec.selector = {}
  else dropLabel(selector)
}

function fromStorage(spec: JsonObject, selector: JsonObject): void {
  if (isSpecial(selector, 'Exists')) spec.selector = {}
  else if (isEmpty(selector)) spec.selector = special('DoesNotExist')
}

function withSelector(change: (spec: JsonObject, selector: JsonObject) => void): (object: JsonObject) => void {
  return (object) => {
    const spec = objectAt(object, 'spec')
    const selector = objectAt(spec, 'selector')
    if (spec !== undefined && selector !== undefined) change(spec, selector)
  }
}

/** The changes of policy/v1beta1. */
export const disruptionBudgetChanges: Changes = {
  toStorage: withSelector(toStorage),
  fromStorage: withSelector(fromStorage),
}
