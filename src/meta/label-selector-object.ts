/** Label selectors inside objects (`matchLabels`, `matchExpressions`): LabelSelector of k8s.io/apimachinery/pkg/apis/meta/v1. */

import { goQuote } from '../go/text.ts'
import { enumValue, type FieldError, forbiddenValue, invalidValue, required } from './field-error.ts'
import {
  formatLabelSelector,
  type LabelOperator,
  type LabelSelector,
  labelRequirement,
  labelSelectorOf,
} from './label-selector.ts'
import { isLabelValue } from './names.ts'
import { validateLabelKey, validateLabels } from './object-meta-validation.ts'

/** One entry of `matchExpressions`. */
export interface LabelSelectorRequirementObject {
  readonly key?: string
  readonly operator?: string
  readonly values?: readonly string[]
}

/** A label selector as objects hold it. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelSelectorRequirementObject[]
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

/** Selects nothing: what an absent selector does, where an empty one selects everything. */
const NOTHING: LabelSelector = { requirements: [], matches: () => false }

/**
 * The selector that an object's selector means (LabelSelectorAsSelector): absent selects nothing, empty everything.
 * @throws Error with upstream's text
 */
export function labelSelectorFrom(object: LabelSelectorObject | undefined): LabelSelector {
  if (object === undefined) return NOTHING
  const exact = Object.entries(object.matchLabels ?? {}).map(([key, value]) => labelRequirement(key, '=', [value]))
  const expressions = (object.matchExpressions ?? []).map(({ key = '', operator = '', values = [] }) => {
    const known = OPERATORS.get(operator)
    if (known === undefined) throw new Error(`${goQuote(operator)} is not a valid label selector operator`)
    return labelRequirement(key, known, values)
  })
  return labelSelectorOf([...exact, ...expressions])
}

/** The text of an object's selector as tables show it (FormatLabelSelector): `<none>` for an empty one, `<error>` for a bad one. */
export function formatLabelSelectorObject(object: LabelSelectorObject | undefined): string {
  try {
    return formatLabelSelector(labelSelectorFrom(object)) || '<none>'
  } catch {
    return '<error>'
  }
}

/** Whether values of a selector must be label values: not on updates of objects that already hold bad ones. */
export type LabelSelectorValues = 'checked' | 'unchecked'

function validateRequirement(
  expression: LabelSelectorRequirementObject,
  field: string,
  check: LabelSelectorValues,
): FieldError[] {
  const { key = '', operator = '', values = [] } = expression
  const errors: FieldError[] = []
  const known = OPERATORS.get(operator)
  if (known === undefined) errors.push(invalidValue(`${field}.operator`, enumValue(operator), 'not a valid selector operator'))
  else if (known === 'in' || known === 'notin') {
    if (values.length === 0) errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (values.length > 0) {
    errors.push(forbiddenValue(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
  }
  errors.push(...validateLabelKey(key, `${field}.key`))
  if (check === 'unchecked') return errors
  const valueErrors = values.flatMap((value, index) =>
    isLabelValue(value).map((text) => invalidValue(`${field}.values[${index}]`, value, text)),
  )
  return [...errors, ...valueErrors]
}

/** What is wrong with an object's selector at `field` (ValidateLabelSelector). An absent one is good. */
export function validateLabelSelector(
  object: LabelSelectorObject | undefined,
  field: string,
  check: LabelSelectorValues = 'checked',
): FieldError[] {
  if (object === undefined) return []
  return [
    ...validateLabels(object.matchLabels ?? {}, `${field}.matchLabels`),
    ...(object.matchExpressions ?? []).flatMap((expression, index) =>
      validateRequirement(expression, `${field}.matchExpressions[${index}]`, check),
    ),
  ]
}
