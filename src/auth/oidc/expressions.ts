/**
 * CEL expressions of an AuthenticationConfiguration: they map claims to a user and validate both. Follows
 * apiserver/pkg/authentication/cel.
 */
import { ArrayList, EntryMap } from '../../cel/collections.ts'
import type { Environment } from '../../cel/environment.ts'
import { KUBERNETES } from '../../cel/kubernetes-environment.ts'
import { DYN, listOf, mapOf, objectType, STRING } from '../../cel/types.ts'
import { Double, ListValue, type Value } from '../../cel/value.ts'
import { isRawNumber } from '../../go/json.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { User } from '../../meta/user.ts'
import { type CompiledExpression, compileExpression, evaluateExpression, stringListMap } from '../cel-program.ts'

/** An expression over `claims` or `user`. */
export type IdentityExpression = CompiledExpression

/** An expression that must be true, and the error message if it is not. */
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

/** The variable of an expression. */
export type Subject = 'claims' | 'user'

const environments: Readonly<Record<Subject, Environment>> = {
  claims: KUBERNETES.extend({ variables: { claims: mapOf(STRING, DYN) } }),
  user: KUBERNETES.extend({
    variables: { user: userType },
    objects: [{ name: 'kubernetes.UserInfo', fields: userFields }],
  }),
}

/**
 * Compiles an expression over a variable.
 * @param results the kinds of types that it may evaluate to
 * @throws Error with the compilation error
 */
export const identityExpression = (text: string, subject: Subject, results: readonly string[]): IdentityExpression =>
  compileExpression(text, environments[subject], results)

const entries = (object: JsonObject): [string, Value][] => Object.entries(object).map(([key, value]) => [key, jsonValue(value)])

/** Converts JSON to a CEL value as Go does with interface{}: all numbers are doubles. */
function jsonValue(json: JsonValue): Value {
  if (typeof json === 'number' || isRawNumber(json)) return new Double(Number(json))
  if (json === null || typeof json !== 'object') return json
  return Array.isArray(json) ? new ArrayList(json.map(jsonValue)) : EntryMap.of(entries(json))
}

/** Converts the claims to the variable `claims`. */
export const claimsValue = (claims: JsonObject): Value => jsonValue(claims)

/** Converts the user to the variable `user`. */
export const userValue = ({ name, uid, groups, extra }: User): Value =>
  EntryMap.of([
    ['username', name],
    ['uid', uid],
    ['groups', new ArrayList(groups)],
    ['extra', stringListMap(extra)],
  ])

/**
 * Converts a result to a list of strings (groups may be a string or a list); empty strings are dropped.
 * @throws Error for any other type
 */
export function textsOf(value: Value): string[] {
  if (value === null) return []
  const all: readonly Value[] =
    value instanceof ListValue ? Array.from({ length: value.size }, (_, index) => value.at(index)) : [value]
  return all.flatMap((one) => {
    if (typeof one !== 'string') throw new Error('expression must return a string or a list of strings')
    return one === '' ? [] : [one]
  })
}

/**
 * Evaluates validation rules.
 * @throws Error with the message of the first rule that is not true
 */
export function checkRules(rules: readonly IdentityRule[], subject: Subject, value: Value): void {
  for (const { expression, message } of rules) {
    if (evaluateExpression(expression, subject, value) === true) continue
    throw new Error(`validation expression '${expression.text}' failed: ${message}`)
  }
}
