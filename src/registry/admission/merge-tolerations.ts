/** Merges the tolerations of two sources. Follows k8s.io/kubernetes/pkg/util/tolerations. */
import type { Toleration } from '../../catalog/generated/types/core.v1.ts'

const fieldsOf = ({ key = '', operator = '', value = '', effect = '', tolerationSeconds }: Toleration) =>
  ({ key, operator, value, effect, tolerationSeconds }) as const

function isSame(a: Toleration, b: Toleration): boolean {
  const [x, y] = [fieldsOf(a), fieldsOf(b)]
  return (Object.keys(x) as (keyof typeof x)[]).every((field) => x[field] === y[field])
}

/** Whether a toleration tolerates every taint that the other one tolerates. */
function isSuperset(whole: Toleration, part: Toleration): boolean {
  if (isSame(whole, part)) return true
  const [w, p] = [fieldsOf(whole), fieldsOf(part)]
  const matchesAllKeys = w.key === '' && w.operator === 'Exists'
  if (p.key !== w.key && !matchesAllKeys) return false
  if (p.effect !== w.effect && w.effect !== '') return false
  if (w.effect === 'NoExecute' && w.tolerationSeconds !== undefined) {
    if (p.tolerationSeconds === undefined || p.tolerationSeconds > w.tolerationSeconds) return false
  }
  if (w.operator === 'Equal' || w.operator === '') return p.operator === 'Equal' && p.value === w.value
  return w.operator === 'Exists'
}

/** Returns the tolerations of both lists without those that another one includes. The first of equal ones remains. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const merged: Toleration[] = []
  for (const [index, toleration] of all.entries()) {
    const isIncluded =
      merged.some((other) => isSuperset(other, toleration)) ||
      all.slice(index + 1).some((other) => !isSame(other, toleration) && isSuperset(other, toleration))
    if (!isIncluded) merged.push(toleration)
  }
  return merged
}
