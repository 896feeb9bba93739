/**
 * Errors about single fields, with the texts of kube-apiserver's validation. Follows "Validation" of the API conventions and
 * k8s.io/apimachinery/pkg/util/validation/field.
 */
import { structJson } from '../go/json-sorted.ts'
import { goQuote } from '../go/text.ts'

/** `details.causes[]` of a Status. */
export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/** The machine-readable reason of a cause. */
export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooShort'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTypeInvalid'
  | 'InternalError'

/** One error about one field. `text` is the message after "field: ". */
export interface FieldError {
  readonly reason: FieldErrorReason
  readonly field: string
  readonly text: string
}

/** Formats a value as messages show it: strings as `%q`, other values as Go's JSON. */
function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'bigint') return value.toString()
  return structJson(value)
}

/** A text whose Go type is not string but an enumeration or a pointer: messages show it as JSON, `"<"` as `"\\u003c"`. */
export function asJson(value: string): { readonly toJSON: () => string } {
  return { toJSON: () => value }
}

const withDetail = (text: string, detail: string): string => (detail === '' ? text : `${text}: ${detail}`)

/** The value is missing. */
export function required(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, text: withDetail('Required value', detail) }
}

/** The value breaks a rule, which `detail` states. */
export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, text: withDetail(`Invalid value: ${formatValue(value)}`, detail) }
}

/** The value's type is not that of the schema. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueTypeInvalid', field, text: withDetail(`Invalid value: ${formatValue(value)}`, detail) }
}

/** The value must not be set under these conditions. */
export function forbiddenValue(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, text: withDetail('Forbidden', detail) }
}

/** The list contains the value twice. */
export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, text: `Duplicate value: ${formatValue(value)}` }
}

/** The value refers to something that does not exist. */
export function valueNotFound(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueNotFound', field, text: `Not found: ${formatValue(value)}` }
}

/** The value is not in the enumeration. `supported` is in kube-apiserver's order. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map(goQuote).join(', ')
  return {
    reason: 'FieldValueNotSupported',
    field,
    text: withDetail(`Unsupported value: ${formatValue(value)}`, list && `supported values: ${list}`),
  }
}

/** The text is longer than `max` bytes. A schema may have a negative maximum. */
export function tooLong(field: string, max: number): FieldError {
  const bound = max < 0 ? 'value is too long' : `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`
  return { reason: 'FieldValueTooLong', field, text: `Too long: ${bound}` }
}

/** The list has more than `max` items. */
export function tooMany(field: string, actual: number, max: number): FieldError {
  const bound = max < 0 ? 'has too many items' : `must have at most ${max} ${max === 1 ? 'item' : 'items'}`
  return { reason: 'FieldValueTooMany', field, text: `Too many: ${actual}: ${bound}` }
}

/** The text is longer than `max` characters. */
export function tooLongCharacters(field: string, max: number): FieldError {
  return {
    reason: 'FieldValueTooLong',
    field,
    text: `Too long: may not be more than ${max} ${max === 1 ? 'character' : 'characters'}`,
  }
}

/** The text is shorter than `min` characters. */
export function tooShort(field: string, min: number): FieldError {
  return {
    reason: 'FieldValueTooShort',
    field,
    text: `Too short: must be at least ${min} ${min === 1 ? 'character' : 'characters'}`,
  }
}

/** An error that the client did not cause. */
export function internalFieldError(field: string, detail: string): FieldError {
  return { reason: 'InternalError', field, text: withDetail('Internal error', detail) }
}

/**
 * The bounds for the errors of one Status. kube-apiserver reports all of them, but joins their texts in quadratic time: 8,000 errors
 * with 1.6 million characters take it 18 seconds, and 12,000 are a 504.
 */
const mostErrors = 10_000
const mostCharacters = 4 * 1024 * 1024

/** The room for errors in one Status. The error that exceeds it is still reported: a single one may be as long as the object. */
export class ErrorRoom {
  #errors = mostErrors
  #characters = mostCharacters

  /** Whether there is room for another error. */
  get isLeft(): boolean {
    return this.#errors > 0 && this.#characters > 0
  }

  /** Takes the room of an error. */
  take({ field, text }: FieldError): void {
    this.#errors--
    this.#characters -= field.length + text.length
  }
}

/** Returns the errors of the items in their order, as many as a Status reports. The check of further items is left out. */
export function errorsOf<T>(items: Iterable<T>, check: (item: T, index: number) => readonly FieldError[]): FieldError[] {
  const room = new ErrorRoom()
  const errors: FieldError[] = []
  let index = 0
  for (const item of items) {
    for (const error of check(item, index++)) {
      if (!room.isLeft) return errors
      room.take(error)
      errors.push(error)
    }
  }
  return errors
}

/** Adds errors to a list, up to as many as a Status reports. As arguments of one call, many would exceed the stack. */
export function addErrors(errors: FieldError[], more: readonly FieldError[]): void {
  for (const error of more) {
    if (errors.length >= mostErrors) return
    errors.push(error)
  }
}

/** Returns as many of the errors as a Status reports. */
export const reportedErrors = (errors: readonly FieldError[]): readonly FieldError[] => errorsOf(errors, (error) => [error])

/** Returns the cause of a Status for this error. */
export function causeOf(error: FieldError): StatusCause {
  return { reason: error.reason, message: error.text, field: error.field }
}

/** Joins texts: a single one as it is, several in brackets, equal ones once. Follows errors.Aggregate. */
export function aggregateTexts(texts: readonly string[]): string {
  const different = [...new Set(texts)]
  return different.length === 1 && different[0] !== undefined ? different[0] : `[${different.join(', ')}]`
}

/** Joins errors as one text: a single one as it is, several in brackets, equal texts once. Follows errors.Aggregate. */
export const aggregate = (errors: readonly FieldError[]): string =>
  aggregateTexts(errors.map(({ field, text }) => `${field}: ${text}`))
