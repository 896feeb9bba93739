/** Checks of the expressions of webhooks and admission policies. */
import { AdmissionCompiler, type AdmissionExpression, type AdmissionPart } from '../../../cel/admission.ts'
import { BOOL, type CelType } from '../../../cel/types.ts'
import { trimSpace } from '../../../go/text.ts'
import { internalFieldError } from '../../../meta/field-error.ts'
import type { MatchCondition } from '../../generated/types/admissionregistration.v1.ts'
import type { Errors } from '../checks.ts'

/** An expression in an object. */
export interface WrittenExpression {
  readonly text: string
  readonly field: string
  /** What is said where it is missing. */
  readonly missing?: string
  /** The expression as errors show it, where that is not how it is compiled. */
  readonly shown?: string
}

/** What compiles an expression. */
export type Compile = (text: string) => AdmissionExpression

/** Compiles to one of these types. */
export function compileTo(compiler: AdmissionCompiler, parts: readonly AdmissionPart[], ...types: readonly CelType[]): Compile {
  return (text) => compiler.compile(text, parts, types)
}

/** An expression must be given and compile. */
export function checkExpression(expression: WrittenExpression, compile: Compile, errors: Errors): void {
  const { text, field, missing = '', shown = text } = expression
  if (trimSpace(text) === '') {
    errors.required(field, missing)
    return
  }
  const compiled = compile(text)
  if (compiled.kind === 'invalid') errors.invalid(field, shown, compiled.text)
  if (compiled.kind === 'internal') errors.push(internalFieldError(field, compiled.text))
}

const mostConditions = 64

function checkCondition({ name, expression }: MatchCondition, compile: Compile, field: string, errors: Errors): void {
  checkExpression({ text: trimSpace(expression), field: `${field}.expression` }, compile, errors)
  if (name === '') errors.required(`${field}.name`)
  else errors.checkQualifiedName(name, `${field}.name`)
}

const conditionCompiler = new AdmissionCompiler('none')

/** Conditions, each with a name of its own. Those of policies may name the parameters, none the policy's variables. */
export function checkMatchConditions(
  conditions: readonly MatchCondition[],
  parameters: 'params' | 'none',
  field: string,
  errors: Errors,
): void {
  if (conditions.length > mostConditions) errors.tooMany(field, conditions.length, mostConditions)
  const parts: readonly AdmissionPart[] = parameters === 'params' ? ['params', 'authorizer'] : ['authorizer']
  const compile = compileTo(conditionCompiler, parts, BOOL)
  const seen = new Set<string>()
  for (const [index, condition] of conditions.entries()) {
    checkCondition(condition, compile, `${field}[${index}]`, errors)
    const { name } = condition
    if (name !== '' && seen.has(name)) errors.duplicate(`${field}[${index}].name`, name)
    seen.add(name)
  }
}
