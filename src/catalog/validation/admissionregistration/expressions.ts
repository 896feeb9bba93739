/** Checks of the CEL expressions in webhook configurations and admission policies. */
import { AdmissionCompiler, type AdmissionExpression, type AdmissionPart } from '../../../cel/admission.ts'
import { BOOL, type CelType } from '../../../cel/types.ts'
import { trimSpace } from '../../../go/text.ts'
import { internalFieldError } from '../../../meta/field-error.ts'
import type { MatchCondition } from '../../generated/types/admissionregistration.v1.ts'
import type { Errors } from '../checks.ts'

/** A CEL expression as an object contains it. */
export interface WrittenExpression {
  readonly text: string
  readonly field: string
  /** The detail of the error "Required value" if the expression is empty. */
  readonly missing?: string
  /** The text that error messages quote, if it differs from the compiled text. */
  readonly reported?: string
}

/** Compiles the text of an expression. */
export type Compile = (text: string) => AdmissionExpression

/** Returns a function that compiles expressions which must evaluate to one of these types. */
export function compileTo(compiler: AdmissionCompiler, parts: readonly AdmissionPart[], ...types: readonly CelType[]): Compile {
  return (text) => compiler.compile(text, parts, types)
}

/** Checks that an expression is present and compiles. */
export function checkExpression(expression: WrittenExpression, compile: Compile, errors: Errors): void {
  const { text, field, missing = '', reported = text } = expression
  if (trimSpace(text) === '') {
    errors.required(field, missing)
    return
  }
  const compiled = compile(text)
  if (compiled.kind === 'invalid') errors.invalid(field, reported, compiled.text)
  if (compiled.kind === 'internal') errors.push(internalFieldError(field, compiled.text))
}

const mostConditions = 64

function checkCondition({ name, expression }: MatchCondition, compile: Compile, field: string, errors: Errors): void {
  checkExpression({ text: trimSpace(expression), field: `${field}.expression` }, compile, errors)
  if (name === '') errors.required(`${field}.name`)
  else errors.checkQualifiedName(name, `${field}.name`)
}

const conditionCompiler = new AdmissionCompiler('none')

/**
 * Validates match conditions, whose names must be unique. Conditions of policies may use `params`, never the policy's variables.
 */
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
