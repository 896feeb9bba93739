/**
 * Field selectors in `?fieldSelector=` (`metadata.name=a,status.phase!=Failed`): grammar, texts and matching of
 * k8s.io/apimachinery/pkg/fields.
 */

import { compareText, goQuote } from '../go/text.ts'
import { type ApiError, badRequest } from './errors.ts'

/** One condition of a field selector. A field that the object does not have is ''. */
export interface FieldTerm {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/** A parsed field selector; all terms must hold. */
export interface FieldSelector {
  readonly terms: readonly FieldTerm[]
}

/** Splits at commas that no backslash escapes. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') at++
    else if (character === ',') {
      terms.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...terms, text.slice(start)]
}

function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text
  let value = ''
  let escaped = false
  for (const character of text) {
    if (escaped && !'\\,='.includes(character)) throw new Error(`invalid field selector: invalid escape sequence: \\${character}`)
    if (!escaped && (character === ',' || character === '=')) {
      throw new Error(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`)
    }
    escaped = !escaped && character === '\\'
    if (!escaped) value += character
  }
  if (escaped) throw new Error('invalid field selector: invalid escape sequence: \\')
  return value
}

function parseTerm(text: string, whole: string): FieldTerm {
  const equals = text.indexOf('=')
  if (equals < 0) throw new Error(`invalid selector: '${whole}'; can't understand '${text}'`)
  if (equals > 0 && text.charAt(equals - 1) === '!') {
    return { field: text.slice(0, equals - 1), operator: '!=', value: unescapeValue(text.slice(equals + 1)) }
  }
  const width = text.charAt(equals + 1) === '=' ? 2 : 1
  return { field: text.slice(0, equals), operator: '=', value: unescapeValue(text.slice(equals + width)) }
}

/**
 * Parses a field selector. Follows fields.ParseSelector: the empty text selects everything; terms are sorted by their text.
 * @param text the value of `?fieldSelector=`, decoded
 * @returns the terms with `=` and `==` both as '='
 * @throws Error with upstream's text, which kube-apiserver answers with 400
 * @example
 * const selector = parseFieldSelector('status.phase!=Failed,metadata.name=web')
 * matchesFields(selector, { 'metadata.name': 'web', 'status.phase': 'Running' }) // true
 * requiredFieldValue(selector, 'metadata.name') // 'web'
 */
export function parseFieldSelector(text: string): FieldSelector {
  const parts = splitTerms(text).filter((part) => part !== '')
  const terms = parts.sort(compareText).map((part) => parseTerm(part, text))
  return { terms: terms.filter(({ field, value }) => field !== '' || value !== '') }
}

/** The selectable fields of an object, by field label. */
export type SelectableFields = Readonly<Record<string, string>>

/** Whether the selector selects an object with these fields. */
export function matchesFields(selector: FieldSelector, fields: SelectableFields): boolean {
  return selector.terms.every(({ field, operator, value }) => {
    const actual = Object.hasOwn(fields, field) ? fields[field] : ''
    return (actual === value) === (operator === '=')
  })
}

/**
 * Returns the only value that the selector allows for a field, if it names one: a list of one name need not read other objects.
 */
export function requiredFieldValue(selector: FieldSelector, field: string): string | undefined {
  return selector.terms.find((term) => term.operator === '=' && term.field === field)?.value
}

/** Returns the canonical text of a field selector. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector.terms.map(({ field, operator, value }) => `${field}${operator}${value.replace(/[\\,=]/g, '\\$&')}`).join(',')
}

/** The field labels that a kind supports in selectors, and its error for others. */
export interface FieldLabelSupport {
  readonly supported: readonly string[]
  /** The text of the error. `%q` is the label in quotes, `%s` without quotes. */
  readonly refusal: string
}

/** The support of kinds without selectable fields of their own. */
export const METADATA_FIELD_LABELS: FieldLabelSupport = {
  supported: ['metadata.name', 'metadata.namespace'],
  refusal: '%q is not a known field selector: only "metadata.name", "metadata.namespace"',
}

/** The error text of most kinds with selectable fields, and of all custom resources. */
export const UNSUPPORTED_FIELD_LABEL = 'field label not supported: %s'

function refusalOf(label: string, support: FieldLabelSupport): ApiError {
  return badRequest(support.refusal.replace(/%[qs]/, (verb) => (verb === '%q' ? goQuote(label) : label)))
}

/**
 * Returns the selector if the kind supports all its labels. Follows ConvertFieldLabel.
 * @throws ApiError 400 if a label is not supported
 */
export function supportedFieldSelector(selector: FieldSelector, support: FieldLabelSupport): FieldSelector {
  const unknown = selector.terms.find(({ field }) => !support.supported.includes(field))
  if (unknown !== undefined) throw refusalOf(unknown.field, support)
  return selector
}
