/** The building blocks of hand-written defaulting rules. */
import type { JsonObject, JsonValue } from '../../go/json-value.ts'

/**
 * Sets the defaults of one value of a Go type, in place. Rules of enclosing values run first. Declared as a method, whose
 * parameter is bivariant, so that a rule can declare the fields of its type.
 */
export type Rule = { apply(value: JsonObject): void }['apply']

/** Rules by the name of the Go type as in messages: `v1.Probe`. */
export type Rules = Readonly<Record<string, Rule>>

/** Types the value of a rule as one of the generated types. */
export const ruleFor = <T>(apply: (value: T) => void): Rule => apply as unknown as Rule

/** Whether a field behind a pointer is nil. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** Whether a field without a pointer is zero, which Go cannot distinguish from absent. */
export const isZero = (value: unknown): boolean => isAbsent(value) || value === '' || value === 0 || value === false

const copied = (value: JsonValue): JsonValue => (typeof value === 'object' ? structuredClone(value) : value)

function filling(isMissing: (value: unknown) => boolean, values: JsonObject): Rule {
  const entries = Object.entries(values)
  return (object) => {
    for (const [name, value] of entries) if (isMissing(object[name])) object[name] = copied(value)
  }
}

/** Returns a rule that sets pointer fields and lists to these values if they are absent. */
export const whenAbsent = (values: JsonObject): Rule => filling(isAbsent, values)

/** Returns a rule that sets fields without a pointer to these values if they are absent or zero. */
export const whenZero = (values: JsonObject): Rule => filling(isZero, values)

/** Returns a rule that runs the rules one after the other. */
export function sequence(...rules: readonly Rule[]): Rule {
  return (value) => {
    for (const rule of rules) rule(value)
  }
}
