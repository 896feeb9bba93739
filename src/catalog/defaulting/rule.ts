/** What the hand-written defaulting rules are made of. */
import type { JsonObject, JsonValue } from '../../go/json-value.ts'

/**
 * Fills what is missing in one value of a Go type, in place. Rules of what is around a value run before its own.
 * Written as a method so that a rule may say of its type what it knows of its fields.
 */
export type Rule = { apply(value: JsonObject): void }['apply']

/** Rules by the name of the Go type as messages show it: `v1.Probe`. */
export type Rules = Readonly<Record<string, Rule>>

/** Behind a pointer: a value that is not given. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** Not behind a pointer: nothing given, or the zero value, which Go cannot tell apart. */
export const isZero = (value: unknown): boolean => isAbsent(value) || value === '' || value === 0 || value === false

const copied = (value: JsonValue): JsonValue => (typeof value === 'object' ? structuredClone(value) : value)

function filling(isMissing: (value: unknown) => boolean, values: JsonObject): Rule {
  const entries = Object.entries(values)
  return (object) => {
    for (const [name, value] of entries) if (isMissing(object[name])) object[name] = copied(value)
  }
}

/** Gives fields behind pointers, and lists, these values where they are absent. */
export const whenAbsent = (values: JsonObject): Rule => filling(isAbsent, values)

/** Gives fields that are no pointers these values where they are absent or zero. */
export const whenZero = (values: JsonObject): Rule => filling(isZero, values)

/** Runs rules one after the other. */
export function inTurn(...rules: readonly Rule[]): Rule {
  return (value) => {
    for (const rule of rules) rule(value)
  }
}
