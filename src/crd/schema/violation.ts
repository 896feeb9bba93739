/**
 * The violations of a schema, in the words of kube-openapi's validation, and their conversion to kube-apiserver's field errors.
 */

import type { JsonValue } from '../../go/json-value.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalidValue, notSupported, required, tooLong, tooMany, typeInvalid } from '../../meta/field-error.ts'
import { withSortedKeys } from './list-types.ts'

/** The kind of a violation, which determines its field error. */
export type ViolationKind =
  | { readonly rule: 'required' }
  | { readonly rule: 'enum'; readonly value: JsonValue; readonly values: readonly JsonValue[] }
  | { readonly rule: 'too long'; readonly maximum: number }
  | { readonly rule: 'too many'; readonly actual: number; readonly maximum: number }
  | { readonly rule: 'type'; readonly value: JsonValue }
  | { readonly rule: 'value'; readonly value: JsonValue }
  /** A rule about the value as a whole, reported without a field. */
  | { readonly rule: 'composite' }

/** One violation. Violations with the same text are reported once. */
export interface Violation {
  readonly path: string
  readonly text: string
  readonly kind: ViolationKind
}

/** The violations of a value, and the number of passed checks: among alternatives the one with the most is reported. */
export class Result {
  readonly violations: Violation[] = []
  /** The texts of the violations; undefined until there is one. */
  #texts: Set<string> | undefined
  matches = 0

  add(violation: Violation): void {
    this.#texts ??= new Set()
    if (this.#texts.has(violation.text)) return
    this.#texts.add(violation.text)
    this.violations.push(violation)
  }

  /** Discards the violations after the first ones (ratcheting). */
  forgive(first: number): void {
    for (const { text } of this.violations.splice(first)) this.#texts?.delete(text)
  }

  merge(other: Result): void {
    for (const violation of other.violations) this.add(violation)
    this.matches += other.matches
  }

  get isValid(): boolean {
    return this.violations.length === 0
  }
}

const shownEnumValue = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value))

function fieldPath(base: string, path: string): string {
  const own = path.startsWith('.') ? path.slice(1) : path
  if (own === '') return base
  return base === '' ? own : `${base}.${own}`
}

/** Converts a violation to a field error. `base` is the path of the validated value. */
export function fieldErrorOf({ path, text, kind }: Violation, base: string): FieldError {
  const field = fieldPath(base, path)
  switch (kind.rule) {
    case 'required':
      return required(field)
    case 'enum':
      return notSupported(field, withSortedKeys(kind.value), kind.values.map(shownEnumValue))
    case 'too long':
      return tooLong(field, kind.maximum)
    case 'too many':
      return tooMany(field, kind.actual, kind.maximum)
    case 'type':
      return typeInvalid(field, withSortedKeys(kind.value), text)
    case 'value':
      return invalidValue(field, withSortedKeys(kind.value ?? ''), text)
    case 'composite':
      return invalidValue(base === '' ? '<nil>' : base, '', text)
  }
}
