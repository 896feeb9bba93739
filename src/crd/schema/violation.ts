/** What is wrong with a value, in the words of kube-openapi's validation and then in those of kube-apiserver. */

import type { JsonValue } from '../../go/json-value.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalidValue, notSupported, required, tooLong, tooMany, typeInvalid } from '../../meta/field-error.ts'
import { inOrder } from './list-types.ts'

/** How a violation is told. */
export type ViolationKind =
  | { readonly is: 'required' }
  | { readonly is: 'enum'; readonly value: JsonValue; readonly values: readonly JsonValue[] }
  | { readonly is: 'too long'; readonly maximum: number }
  | { readonly is: 'too many'; readonly actual: number; readonly maximum: number }
  | { readonly is: 'type'; readonly value: JsonValue }
  | { readonly is: 'value'; readonly value: JsonValue }
  /** A rule about the value as a whole, told without a place of its own. */
  | { readonly is: 'composite' }

/** One violation. Two of the same text are one. */
export interface Violation {
  readonly path: string
  readonly text: string
  readonly kind: ViolationKind
}

/** The violations of a value, and how many checks it passed: of several alternatives the one is told that fits best. */
export class Result {
  readonly violations: Violation[] = []
  /** The texts of the violations, as far as there are any. */
  #texts: Set<string> | undefined
  matches = 0

  add(violation: Violation): void {
    this.#texts ??= new Set()
    if (this.#texts.has(violation.text)) return
    this.#texts.add(violation.text)
    this.violations.push(violation)
  }

  /** Lets pass what is wrong. */
  forgive(): void {
    this.violations.length = 0
    this.#texts = undefined
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

/** The field error of a violation. `base` is the path of the value that was validated. */
export function fieldErrorOf({ path, text, kind }: Violation, base: string): FieldError {
  const field = fieldPath(base, path)
  switch (kind.is) {
    case 'required':
      return required(field)
    case 'enum':
      return notSupported(field, inOrder(kind.value), kind.values.map(shownEnumValue))
    case 'too long':
      return tooLong(field, kind.maximum)
    case 'too many':
      return tooMany(field, kind.actual, kind.maximum)
    case 'type':
      return typeInvalid(field, inOrder(kind.value), text)
    case 'value':
      return invalidValue(field, inOrder(kind.value ?? ''), text)
    case 'composite':
      return invalidValue(base === '' ? '<nil>' : base, '', text)
  }
}
