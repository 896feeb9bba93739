import { isPathSegmentName } from '../../../meta/names.ts'
import type { CrossVersionObjectReference } from '../../generated/types/autoscaling.v2.ts'
import type { Errors } from '../checks.ts'

/** The rule for the API version of a reference: with a group, with any group including the core group, or unchecked. */
export type ApiVersionRule = 'grouped' | 'any group' | 'unchecked'

/** Returns the error message for an API version, or undefined if it is valid. */
export function apiVersionProblem(apiVersion: string, rule: ApiVersionRule): string | undefined {
  if (rule === 'unchecked') return undefined
  const parts = apiVersion.split('/')
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`
  const group = parts.length === 2 ? parts[0] : ''
  return rule === 'grouped' && group === '' ? 'apiVersion must specify API group' : undefined
}

export function checkReference(
  { kind, name, apiVersion = '' }: CrossVersionObjectReference,
  rule: ApiVersionRule,
  field: string,
  errors: Errors,
): void {
  for (const [part, value] of [
    ['kind', kind],
    ['name', name],
  ] as const) {
    if (value === '') errors.required(`${field}.${part}`)
    else errors.checkMessages(isPathSegmentName(value), value, `${field}.${part}`)
  }
  const problem = apiVersionProblem(apiVersion, rule)
  if (problem !== undefined) errors.invalid(`${field}.apiVersion`, apiVersion, problem)
}
