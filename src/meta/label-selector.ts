/** Label selectors in `?labelSelector=` (`a=b,c in (d,e),!f`): grammar, texts and matching of k8s.io/apimachinery/pkg/labels. */

import { parseInt64 } from '../go/numbers.ts'
import { compareText } from '../go/text.ts'
import { aggregate, type FieldError, invalidValue } from './field-error.ts'
import { isLabelValue, isQualifiedName } from './names.ts'

/** The operator between a label and its values, as the grammar writes it. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

/** One condition of a selector. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>

/** A parsed selector. `requirements` are sorted by key; all of them must hold. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[]
  /** Whether the selector selects an object with these labels. */
  readonly matches: (labels: Labels | undefined) => boolean
}

/** The operators between a key and its values. */
const BINARY_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['in', 'in'],
  ['notin', 'notin'],
  ['>', 'gt'],
  ['<', 'lt'],
])
const EXPECTED_OPERATORS = 'in, notin, =, ==, !=, gt, lt'

const SPECIAL = '=!(),><'
const WHITE_SPACE = ' \t\r\n'

interface Token {
  readonly type: 'identifier' | 'special' | 'end'
  readonly text: string
}

const END: Token = { type: 'end', text: '' }

/**
 * Returns the tokens of the text, the last of which is the end. A NUL ends the token before it; after white space it ends the
 * text.
 */
function scan(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const character = text.charAt(at)
    if (character === '\0') break
    if (WHITE_SPACE.includes(character)) at++
    else if (SPECIAL.includes(character)) {
      const double = (character === '=' || character === '!') && text.charAt(at + 1) === '='
      tokens.push({ type: 'special', text: double ? `${character}=` : character })
      at += double ? 2 : 1
      if (text.charAt(at) === '\0') at++
    } else {
      const start = at
      while (
        at < text.length &&
        text.charAt(at) !== '\0' &&
        !SPECIAL.includes(text.charAt(at)) &&
        !WHITE_SPACE.includes(text.charAt(at))
      )
        at++
      tokens.push({ type: 'identifier', text: text.slice(start, at) })
      if (text.charAt(at) === '\0') at++
    }
  }
  tokens.push(END)
  return tokens
}

class Cursor {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  /** Returns the next token without consuming it. */
  peek(): Token {
    return this.#tokens[this.#position] ?? END
  }

  /** Consumes the next token. */
  take(): Token {
    const token = this.peek()
    this.#position++
    return token
  }
}

const isSpecial = (token: Token, special: string): boolean => token.type === 'special' && token.text === special

/**
 * Parses the items of `(a,b)` after the opening bracket, without the closing one. An empty text between commas is an empty value.
 */
function parseIdentifiers(cursor: Cursor): Set<string> {
  const values = new Set<string>()
  for (;;) {
    const token = cursor.take()
    const next = cursor.peek()
    if (token.type === 'identifier') {
      values.add(token.text)
      if (isSpecial(next, ')')) return values
      if (!isSpecial(next, ',')) throw new Error(`found '${next.text}', expected: ',' or ')'`)
    } else if (isSpecial(token, ',')) {
      if (values.size === 0 || isSpecial(next, ')') || isSpecial(next, ',')) values.add('')
      if (isSpecial(next, ')')) return values
    } else throw new Error(`found '${token.text}', expected: ',', or identifier`)
  }
}

function parseSet(cursor: Cursor): Set<string> {
  const open = cursor.take()
  if (!isSpecial(open, '(')) throw new Error(`found '${open.text}' expected: '('`)
  const next = cursor.peek()
  if (isSpecial(next, ')')) {
    cursor.take()
    return new Set([''])
  }
  if (next.type !== 'identifier' && !isSpecial(next, ','))
    throw new Error(`found '${next.text}', expected: ',', ')' or identifier`)
  const values = parseIdentifiers(cursor)
  cursor.take()
  return values
}

function parseExactValue(cursor: Cursor): Set<string> {
  const next = cursor.peek()
  if (next.type === 'end' || isSpecial(next, ',')) return new Set([''])
  const token = cursor.take()
  if (token.type !== 'identifier') throw new Error(`found '${token.text}', expected: identifier`)
  return new Set([token.text])
}

function integerErrors(values: readonly string[]): FieldError[] {
  return values.flatMap((value, index) => {
    try {
      parseInt64(value)
      return []
    } catch {
      return [invalidValue(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")]
    }
  })
}

/** The number of values that an operator takes, and the error text for another number. */
const VALUE_COUNTS: Readonly<Record<LabelOperator, { readonly holds: (count: number) => boolean; readonly text: string }>> = {
  in: { holds: (count) => count > 0, text: "for 'in', 'notin' operators, values set can't be empty" },
  notin: { holds: (count) => count > 0, text: "for 'in', 'notin' operators, values set can't be empty" },
  '=': { holds: (count) => count === 1, text: 'exact-match compatibility requires one single value' },
  '==': { holds: (count) => count === 1, text: 'exact-match compatibility requires one single value' },
  '!=': { holds: (count) => count === 1, text: 'exact-match compatibility requires one single value' },
  exists: { holds: (count) => count === 0, text: 'values set must be empty for exists and does not exist' },
  '!': { holds: (count) => count === 0, text: 'values set must be empty for exists and does not exist' },
  gt: { holds: (count) => count === 1, text: "for 'Gt', 'Lt' operators, exactly one value is required" },
  lt: { holds: (count) => count === 1, text: "for 'Gt', 'Lt' operators, exactly one value is required" },
}

/**
 * Returns a checked requirement. Follows labels.NewRequirement.
 * @throws Error with upstream's text if the key, the operator or a value is invalid
 */
export function labelRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const keyErrors = isQualifiedName(key)
  const errors = keyErrors.length === 0 ? [] : [invalidValue('key', key, keyErrors.join('; '))]
  const count = VALUE_COUNTS[operator]
  if (!count.holds(values.length)) errors.push(invalidValue('values', values, count.text))
  if (operator === 'gt' || operator === 'lt') errors.push(...integerErrors(values))
  values.forEach((value, index) => {
    const messages = isLabelValue(value)
    if (messages.length > 0) errors.push(invalidValue(`values[${index}][${key}]`, value, messages.join('; ')))
  })
  if (errors.length > 0) throw new Error(aggregate(errors))
  return { key, operator, values }
}

function parseRequirement(cursor: Cursor): LabelRequirement {
  let token = cursor.take()
  const negated = isSpecial(token, '!')
  if (negated) token = cursor.take()
  if (token.type !== 'identifier') throw new Error(`found '${token.text}', expected: identifier`)
  const key = token.text
  const keyErrors = isQualifiedName(key)
  if (keyErrors.length > 0) throw new Error(aggregate([invalidValue('<nil>', key, keyErrors.join('; '))]))
  if (negated) return { key, operator: '!', values: [] }
  const next = cursor.peek()
  if (next.type === 'end' || isSpecial(next, ',')) return { key, operator: 'exists', values: [] }
  const operatorToken = cursor.take()
  const operator = BINARY_OPERATORS.get(operatorToken.text)
  if (operator === undefined) throw new Error(`found '${operatorToken.text}', expected: ${EXPECTED_OPERATORS}`)
  const values = operator === 'in' || operator === 'notin' ? parseSet(cursor) : parseExactValue(cursor)
  return labelRequirement(key, operator, [...values].sort(compareText))
}

function parseRequirements(text: string): LabelRequirement[] {
  const cursor = new Cursor(scan(text))
  const requirements: LabelRequirement[] = []
  for (;;) {
    const first = cursor.peek()
    if (first.type === 'end') return requirements
    if (first.type !== 'identifier' && !isSpecial(first, '!')) {
      throw new Error(`found '${first.text}', expected: !, identifier, or 'end of string'`)
    }
    try {
      requirements.push(parseRequirement(cursor))
    } catch (error) {
      throw new Error(`unable to parse requirement: ${error instanceof Error ? error.message : ''}`)
    }
    const separator = cursor.take()
    if (separator.type === 'end') return requirements
    if (!isSpecial(separator, ',')) throw new Error(`found '${separator.text}', expected: ',' or 'end of string'`)
    const next = cursor.peek()
    if (next.type !== 'identifier' && !isSpecial(next, '!'))
      throw new Error(`found '${next.text}', expected: identifier after ','`)
  }
}

function integerOf(value: string): bigint | undefined {
  try {
    return parseInt64(value)
  } catch {
    return undefined
  }
}

type Predicate = (value: string | undefined) => boolean

function comparison({ operator, values }: LabelRequirement): Predicate {
  const limit = integerOf(values[0] ?? '')
  return (value) => {
    const number = value === undefined ? undefined : integerOf(value)
    if (number === undefined || limit === undefined) return false
    return operator === 'gt' ? number > limit : number < limit
  }
}

/** Returns the condition on the label's value, which is undefined if the object does not have the label. */
function predicateOf(requirement: LabelRequirement): Predicate {
  const { operator, values } = requirement
  if (operator === 'exists') return (value) => value !== undefined
  if (operator === '!') return (value) => value === undefined
  if (operator === 'gt' || operator === 'lt') return comparison(requirement)
  const set = new Set(values)
  if (operator === '!=' || operator === 'notin') return (value) => value === undefined || !set.has(value)
  return (value) => value !== undefined && set.has(value)
}

/** Returns the selector for requirements that must all hold; without requirements it selects everything. */
export function labelSelectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  const sorted = [...requirements].sort((a, b) => compareText(a.key, b.key))
  const conditions = sorted.map((requirement) => ({ key: requirement.key, holds: predicateOf(requirement) }))
  const matches = (labels: Labels = {}): boolean =>
    conditions.every(({ key, holds }) => holds(Object.hasOwn(labels, key) ? labels[key] : undefined))
  return { requirements: sorted, matches }
}

/**
 * Parses a label selector. Follows labels.Parse: the empty text selects everything.
 * @param text the value of `?labelSelector=`, decoded
 * @throws Error with upstream's text, which kube-apiserver answers with 400
 * @example
 * const selector = parseLabelSelector('app in (web,api),tier!=test,!legacy')
 * selector.matches({ app: 'web', tier: 'prod' }) // true
 * formatLabelSelector(selector) // 'app in (api,web),!legacy,tier!=test'
 */
export function parseLabelSelector(text: string): LabelSelector {
  return labelSelectorOf(parseRequirements(text))
}

const WRITTEN_OPERATORS: Readonly<Record<LabelOperator, string>> = {
  '=': '=',
  '==': '==',
  '!=': '!=',
  in: ' in ',
  notin: ' notin ',
  gt: '>',
  lt: '<',
  exists: '',
  '!': '',
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const list = [...values].sort(compareText).join(',')
  const valueText = operator === 'in' || operator === 'notin' ? `(${list})` : list
  return `${operator === '!' ? '!' : ''}${key}${WRITTEN_OPERATORS[operator]}${valueText}`
}

/** Returns the canonical text of a selector: sorted by key, each with sorted values. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.requirements.map(formatRequirement).join(',')
}
