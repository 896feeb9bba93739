/**
 * Expressions of an AuthenticationConfiguration: what the claims of a token make of its holder, and what has to hold of both.
 * Follows apiserver/pkg/authentication/cel.
 */
import { ArrayList, EntryMap } from '../../cel/collections.ts'
import type { Environment } from '../../cel/environment.ts'
import { KUBERNETES } from '../../cel/kubernetes-environment.ts'
import { DYN, listOf, mapOf, objectType, STRING } from '../../cel/types.ts'
import { Double, ListValue, type Value } from '../../cel/value.ts'
import { isRawNumber } from '../../go/json.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { User } from '../../meta/user.ts'
import { evaluated, type ReadyExpression, readyExpression, textsByName } from '../cel-program.ts'

/** An expression over `claims` or `user`. */
export type IdentityExpression = ReadyExpression

/** An expression that must be true, and what is said where it is not. */
export interface IdentityRule {
  readonly expression: IdentityExpression
  readonly message: string
}

const userType = objectType('kubernetes.UserInfo')
const userFields = new Map([
  ['username', STRING],
  ['uid', STRING],
  ['groups', listOf(STRING)],
  ['extra', mapOf(STRING, listOf(STRING))],
])

/** What expressions may speak of. */
export type Subject = 'claims' | 'user'

const environments: Readonly<Record<Subject, Environment>> = {
  claims: KUBERNETES.extend({ variables: { claims: mapOf(STRING, DYN) } }),
  user: KUBERNETES.extend({
    variables: { user: userType },
    objects: [{ name: 'kubernetes.UserInfo', fields: userFields }],
  }),
}

/**
 * Compiles an expression about a subject.
 * @param results the kinds of types that it may give
 * @throws Error with the text of what is wrong with it
 */
export const identityExpression = (text: string, subject: Subject, results: readonly string[]): IdentityExpression =>
  readyExpression(text, environments[subject], results)

const entries = (object: JsonObject): [string, Value][] => Object.entries(object).map(([key, value]) => [key, jsonValue(value)])

/** JSON as Go reads it into an interface: all numbers are doubles. */
function jsonValue(json: JsonValue): Value {
  if (typeof json === 'number' || isRawNumber(json)) return new Double(Number(json))
  if (json === null || typeof json !== 'object') return json
  return Array.isArray(json) ? new ArrayList(json.map(jsonValue)) : EntryMap.of(entries(json))
}

/** The claims as the variable of expressions. */
export const claimsValue = (claims: JsonObject): Value => jsonValue(claims)

/** The user as the variable of expressions. */
export const userValue = ({ name, uid, groups, extra }: User): Value =>
  EntryMap.of([
    ['username', name],
    ['uid', uid],
    ['groups', new ArrayList(groups)],
    ['extra', textsByName(extra)],
  ])

/** A text, or the texts of a list, as several groups are given; empty ones are none. Throws Error for anything else. */
export function textsOf(value: Value): string[] {
  if (value === null) return []
  const all: readonly Value[] =
    value instanceof ListValue ? Array.from({ length: value.size }, (_, index) => value.at(index)) : [value]
  return all.flatMap((one) => {
    if (typeof one !== 'string') throw new Error('expression must return a string or a list of strings')
    return one === '' ? [] : [one]
  })
}

/** Throws Error where one of the rules does not hold. */
export function checkRules(rules: readonly IdentityRule[], subject: Subject, value: Value): void {
  for (const { expression, message } of rules) {
    if (evaluated(expression, subject, value) === true) continue
    throw new Error(`validation expression '${expression.text}' failed: ${message}`)
  }
}
