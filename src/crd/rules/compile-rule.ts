/** Compiles the rules of a schema. Follows Compile of apiextensions-apiserver's schema/cel. */
import { type CheckedExpression, compile, type Program } from '../../cel/compile.ts'
import type { Environment } from '../../cel/environment.ts'
import { KUBERNETES } from '../../cel/kubernetes-environment.ts'
import { type Position, positionOf, type StructuralSchema } from '../../cel/schema.ts'
import { type DeclaredType, declaredType, MAX_REQUEST_SIZE, objectsWithin, sizesWithin } from '../../cel/schema-types.ts'
import { BOOL, type CelType, isSameType, optionalOf, STRING } from '../../cel/types.ts'
import { CelError } from '../../cel/value.ts'
import type { JsonSchema, ValidationRule } from '../json-schema.ts'

/** An executable expression with its maximum cost. */
export interface CompiledExpression {
  readonly program: Program
  readonly maximumCost: number
}

/** An expression, or its error. */
export type Expression = CompiledExpression | { readonly error: string }

/** A rule with its expressions. */
export interface CompiledRule {
  readonly rule: ValidationRule
  readonly expression: Expression
  readonly usesOldSelf: boolean
  /** Undefined if the rule has no messageExpression, or is itself invalid. */
  readonly message: Expression | undefined
}

/** The type name of `self`. Kubernetes numbers it for each schema; messages show it. */
const selfName = 'selfType1'

const structural = (schema: JsonSchema): StructuralSchema => schema as StructuralSchema

/** Returns the position of a schema; the root is a whole resource. */
export function placeOf(schema: JsonSchema, isRoot: boolean): Position {
  return isRoot ? 'resource' : positionOf(structural(schema))
}

/** Returns the type of `self`; undefined if it is not visible to rules. */
export function selfType(schema: JsonSchema, isRoot: boolean): DeclaredType | undefined {
  return declaredType(structural(schema), selfName, placeOf(schema, isRoot))
}

/** Returns the maximum number of values of a type in one request. */
export function maximumCardinality({ minSize }: DeclaredType): number {
  return Math.floor(MAX_REQUEST_SIZE / (minSize + 1))
}

/** The environments for the rules at one position. */
class RuleEnvironments {
  readonly #declared: DeclaredType
  readonly #made = new Map<'plain' | 'optional', Environment>()

  constructor(declared: DeclaredType) {
    this.#declared = declared
  }

  of(rule: ValidationRule): Environment {
    const which = rule.optionalOldSelf === true ? 'optional' : 'plain'
    let environment = this.#made.get(which)
    if (environment === undefined) {
      const { type } = this.#declared
      const oldSelf = which === 'optional' ? optionalOf(type) : type
      environment = KUBERNETES.extend({ variables: { self: type, oldSelf }, objects: objectsWithin(this.#declared) })
      this.#made.set(which, environment)
    }
    return environment
  }
}

function planned(expression: CheckedExpression, declared: DeclaredType, failed: string): Expression {
  const program = expression.plan()
  if (program instanceof CelError) return { error: `${failed} failed: ${program.message}` }
  return { program, maximumCost: expression.estimateCost(sizesWithin(declared)).max }
}

/** The words for an expression in messages, and its required type. */
interface Wanted {
  readonly compilation: string
  readonly instantiation: string
  readonly type: CelType
  readonly typeText: string
}

const wantedRule: Wanted = {
  compilation: 'compilation failed: ',
  instantiation: 'program instantiation',
  type: BOOL,
  typeText: 'cel expression must evaluate to a bool',
}

const wantedMessage: Wanted = {
  compilation: 'messageExpression compilation failed: ',
  instantiation: 'messageExpression instantiation',
  type: STRING,
  typeText: 'messageExpression must evaluate to a string',
}

function compileAs(text: string, environment: Environment, declared: DeclaredType, wanted: Wanted) {
  const compiled = compile(text, environment)
  if (compiled.kind === 'issues') return { error: wanted.compilation + compiled.text, usesOldSelf: false }
  const { expression } = compiled
  if (!isSameType(expression.type, wanted.type)) return { error: wanted.typeText, usesOldSelf: false }
  const usesOldSelf = expression.refersTo('oldSelf')
  return { ...planned(expression, declared, wanted.instantiation), usesOldSelf }
}

/** Compiles the rules at one position, each when it is requested. */
export function* compiledRules(rules: readonly ValidationRule[], declared: DeclaredType): Generator<CompiledRule> {
  const environments = new RuleEnvironments(declared)
  for (const rule of rules) {
    const environment = environments.of(rule)
    const { usesOldSelf, ...expression } = compileAs(rule.rule, environment, declared, wantedRule)
    const { messageExpression = '' } = rule
    const hasMessage = messageExpression !== '' && 'program' in expression
    const message = hasMessage ? compileAs(messageExpression, environment, declared, wantedMessage) : undefined
    yield { rule, expression, usesOldSelf, message }
  }
}

/** Compiles all rules. */
export const compileRules = (rules: readonly ValidationRule[], declared: DeclaredType): CompiledRule[] => [
  ...compiledRules(rules, declared),
]
