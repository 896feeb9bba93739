/** The selectors of requests as authorization webhooks get them: requirements of a SubjectAccessReview. */
import { parseFieldSelector } from '../meta/field-selector.ts'
import { type LabelOperator, type LabelRequirement, labelRequirement, parseLabelSelector } from '../meta/label-selector.ts'

/** A requirement of a selector, with the operators of the API. */
export interface SelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** A selector as a request or a review has it: its text or its requirements. */
export interface SelectorSource {
  readonly rawSelector?: string
  readonly requirements?: readonly Partial<SelectorRequirement>[]
}

/** The requirements of a selector that could be read, and whether others could not. */
export interface SelectorRequirements {
  readonly requirements: readonly SelectorRequirement[]
  readonly isIncomplete: boolean
}

const writtenOperators: Readonly<Partial<Record<LabelOperator, string>>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
}

const readOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

/** Returns the requirement in the API's form; undefined for an operator that the API does not have. */
function asRequirement({ key, operator, values }: LabelRequirement): SelectorRequirement | undefined {
  const written = writtenOperators[operator]
  return written === undefined ? undefined : { key, operator: written, ...(values.length > 0 && { values }) }
}

/** Reads a text as a whole, or each requirement alone. */
function readSource(
  { rawSelector = '', requirements = [] }: SelectorSource,
  parse: (text: string) => readonly SelectorRequirement[],
  check: (requirement: Partial<SelectorRequirement>) => SelectorRequirement | undefined,
): SelectorRequirements {
  if (rawSelector === '') {
    const read = requirements.flatMap((one) => check(one) ?? [])
    return { requirements: read, isIncomplete: read.length < requirements.length }
  }
  try {
    return { requirements: parse(rawSelector), isIncomplete: false }
  } catch {
    return { requirements: [], isIncomplete: true }
  }
}

function checkedField({ key = '', operator = '', values = [] }: Partial<SelectorRequirement>): SelectorRequirement | undefined {
  return (operator === 'In' || operator === 'NotIn') && values.length === 1 ? { key, operator, values } : undefined
}

function checkedLabel({ key = '', operator = '', values = [] }: Partial<SelectorRequirement>): SelectorRequirement | undefined {
  const read = readOperators.get(operator)
  if (read === undefined) return undefined
  try {
    return asRequirement(labelRequirement(key, read, values))
  } catch {
    return undefined
  }
}

/** Returns the requirements of a field selector. */
export function fieldRequirements(source: SelectorSource): SelectorRequirements {
  const parse = (text: string): SelectorRequirement[] =>
    parseFieldSelector(text).terms.map(({ field, operator, value }) => ({
      key: field,
      operator: operator === '=' ? 'In' : 'NotIn',
      values: [value],
    }))
  return readSource(source, parse, checkedField)
}

/** Returns the requirements of a label selector, without comparisons of numbers, which the API does not have. */
export function labelRequirements(source: SelectorSource): SelectorRequirements {
  return readSource(
    source,
    (text) => parseLabelSelector(text).requirements.flatMap((requirement) => asRequirement(requirement) ?? []),
    checkedLabel,
  )
}
