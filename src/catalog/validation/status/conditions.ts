/** Checks of conditions (ValidateConditions of k8s.io/apimachinery/pkg/apis/meta/v1/validation). */
import { utf8Length } from '../../../go/text.ts'
import { regexError } from '../../../meta/names.ts'
import { validateLabelKey } from '../../../meta/object-meta-validation.ts'
import type { Condition } from '../../generated/types/meta.v1.ts'
import type { Errors } from '../checks.ts'

const statuses = ['False', 'True', 'Unknown']
const maximumReason = 1024
const maximumMessage = 32 * 1024
const reasonFormat = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'
const reasonPattern = new RegExp(`^${reasonFormat}$`)
const reasonText = regexError(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reasonFormat,
  ...['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'],
)

function checkReason(reason: string, field: string, errors: Errors): void {
  if (reason === '') {
    errors.required(field)
    return
  }
  if (!reasonPattern.test(reason)) errors.invalid(field, reason, reasonText)
  if (utf8Length(reason) > maximumReason) errors.tooLong(field, maximumReason)
}

function checkCondition(condition: Condition, field: string, errors: Errors): void {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition
  errors.push(...validateLabelKey(type, `${field}.type`))
  errors.checkEnum(status, statuses, `${field}.status`)
  if (observedGeneration < 0) {
    errors.invalid(`${field}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero')
  }
  if (lastTransitionTime === null) errors.required(`${field}.lastTransitionTime`)
  checkReason(reason, `${field}.reason`, errors)
  if (utf8Length(message) > maximumMessage) errors.tooLong(`${field}.message`, maximumMessage)
}

/** Validates conditions: each type is unique, and all required fields are set. */
export function checkConditions(conditions: readonly Condition[], field: string, errors: Errors): void {
  const types = new Set<string>()
  for (const [index, condition] of conditions.entries()) {
    errors.checkUnique(types, condition.type, `${field}[${index}].type`)
    checkCondition(condition, `${field}[${index}]`, errors)
  }
}
