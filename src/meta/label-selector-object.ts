/** Label selectors in objects (`matchLabels`, `matchExpressions`): LabelSelector of k8s.io/apimachinery/pkg/apis/meta/v1. */

import { goQuote } from '../go/text.ts'
import { asJson, errorsOf, type FieldError, forbiddenValue, invalidValue, required } from './field-error.ts'
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

/** A label selector in its object form. */
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

/** Selects nothing (labels.Nothing), the meaning of an absent selector. An empty one selects everything. */
const NOTHING: LabelSelector = { requirements: [], matches: () => false }

/**
 * Converts an object's selector. Follows LabelSelectorAsSelector: an absent selector selects nothing, an empty one everything.
 * @throws Error with upstream's text if the selector is invalid
 */
export function labelSelectorFrom(object: LabelSelectorObject | undefined): LabelSelector {
  if (object === undefined) return NOTHING
  const exact = Object.entries(object.matchLabels ?? {}).map(([key, value]) => labelRequirement(key, '=', [value]))
  const expressions = (object.matchExpressions ?? []).map(({ key = '', operator = '', values = [] }) => {
    const labelOperator = OPERATORS.get(operator)
    if (labelOperator === undefined) throw new Error(`${goQuote(operator)} is not a valid label selector operator`)
    return labelRequirement(key, labelOperator, values)
  })
  return labelSelectorOf([...exact, ...expressions])
}

/**
 * Formats an object's selector for tables. Follows FormatLabelSelector: `<none>` for an empty one, `<error>` for an invalid one.
 */
export function formatLabelSelectorObject(object: LabelSelectorObject | undefined): string {
  try {
    return formatLabelSelector(labelSelectorFrom(object)) || '<none>'
  } catch {
    return '<error>'
  }
}

/**
 * Whether the selector's values are checked as label values. They are not on updates of objects that already have invalid ones.
 */
export type LabelSelectorValues = 'checked' | 'unchecked'

function validateRequirement(
  expression: LabelSelectorRequirementObject,
  field: string,
  check: LabelSelectorValues,
): FieldError[] {
  const { key = '', operator = '', values = [] } = expression
  const errors: FieldError[] = []
  const labelOperator = OPERATORS.get(operator)
  if (labelOperator === undefined)
    errors.push(invalidValue(`${field}.operator`, asJson(operator), 'not a valid selector operator'))
  else if (labelOperator === 'in' || labelOperator === 'notin') {
    if (values.length === 0) errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (values.length > 0) {
    errors.push(forbiddenValue(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
  }
  errors.push(...validateLabelKey(key, `${field}.key`))
  if (check === 'unchecked') return errors
  const valueErrors = errorsOf(values, (value, index) =>
    isLabelValue(value).map((text) => invalidValue(`${field}.values[${index}]`, value, text)),
  )
  return [...errors, ...valueErrors]
}

/** Returns the errors of an object's selector at `field`. Follows ValidateLabelSelector; an absent selector is valid. */
export function validateLabelSelector(
  object: LabelSelectorObject | undefined,
  field: string,
  check: LabelSelectorValues = 'checked',
): FieldError[] {
  if (object === undefined) return []
  return [
    ...validateLabels(object.matchLabels ?? {}, `${field}.matchLabels`),
    ...errorsOf(object.matchExpressions ?? [], (expression, index) =>
      validateRequirement(expression, `${field}.matchExpressions[${index}]`, check),
    ),
  ]
}
