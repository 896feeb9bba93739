/** Checks of taints. Follows validateNodeTaints of k8s.io/kubernetes/pkg/apis/core/validation. */
import { duplicate } from '../../../meta/field-error.ts'
import { isLabelValue } from '../../../meta/names.ts'
import { validateLabelKey } from '../../../meta/object-meta-validation.ts'
import type { Taint } from '../../generated/types/core.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { type Errors, itemsOf } from '../checks.ts'
import { taintEffects } from '../pod/scheduling.ts'

function checkTaint({ key, value = '', effect }: Taint, field: string, errors: Errors): void {
  errors.push(...validateLabelKey(key, `${field}.key`))
  const messages = isLabelValue(value)
  if (messages.length > 0) errors.invalid(`${field}.value`, value, messages.join(';'))
  if (effect === '') errors.required(`${field}.effect`)
  else if (!taintEffects.includes(effect)) errors.notSupported(`${field}.effect`, effect, taintEffects)
}

/** Checks that each pair of key and effect is unique. */
export function checkTaints(taints: readonly Taint[], field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const [at, taint] of itemsOf(taints, field)) {
    checkTaint(taint, at, errors)
    const pair = `${taint.effect} ${taint.key}`
    if (seen.has(pair)) {
      const { text, ...error } = duplicate(at, internalJson('Taint', taint))
      errors.push({ ...error, text: `${text}: taints must be unique by key and effect pair` })
    }
    seen.add(pair)
  }
}
