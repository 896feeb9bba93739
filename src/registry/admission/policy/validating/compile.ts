/** Compiles ValidatingAdmissionPolicies. Follows compilePolicy of the package policy/validating. */
import type { ValidatingAdmissionPolicy } from '../../../../catalog/generated/types/admissionregistration.v1.ts'
import { BOOL, NULL, STRING } from '../../../../cel/types.ts'
import { compiledOnce } from '../shared/compiled-policies.ts'
import { PolicyCompiler, type PolicyExpression, type PolicyVariable } from '../shared/expressions.ts'
import type { CompiledPolicy } from '../shared/hooks.ts'

/** A validation besides its expressions. */
export interface ValidationTexts {
  /** '' if absent. */
  readonly message: string
  readonly reason: string
}

/** A compiled ValidatingAdmissionPolicy. */
export interface ValidatingEvaluator extends CompiledPolicy {
  readonly variables: readonly PolicyVariable[]
  readonly conditions: readonly PolicyExpression[]
  readonly validations: readonly PolicyExpression[]
  /** For each validation. */
  readonly texts: readonly ValidationTexts[]
  /** For each validation, undefined if it has no messageExpression. */
  readonly messages: readonly (PolicyExpression | undefined)[]
  readonly annotationKeys: readonly string[]
  /** For each key. */
  readonly annotations: readonly PolicyExpression[]
}

function compile({ spec }: ValidatingAdmissionPolicy): ValidatingEvaluator {
  const { paramKind, variables = [], matchConditions = [], validations = [], auditAnnotations = [] } = spec
  const compiler = new PolicyCompiler(paramKind === undefined ? [] : ['params'])
  for (const { name, expression } of variables) compiler.addVariable(name, expression)
  const expressions = {
    conditions: matchConditions.map(({ expression }) => compiler.compile(expression, [BOOL])),
    validations: validations.map(({ expression }) => compiler.compile(expression, [BOOL])),
    messages: validations.map(({ messageExpression: text = '' }) =>
      text === '' ? undefined : compiler.compile(text, [STRING], []),
    ),
    annotations: auditAnnotations.map(({ valueExpression }) => compiler.compile(valueExpression, [STRING, NULL])),
  }
  const all = [...compiler.variables.map(({ expression }) => expression), ...Object.values(expressions).flat()]
  return {
    ...expressions,
    variables: compiler.variables,
    texts: validations.map(({ message = '', reason = '' }) => ({ message, reason })),
    annotationKeys: auditAnnotations.map(({ key }) => key),
    needsNamespace: all.some((expression) => expression?.needsNamespace === true),
  }
}

/** Returns the compiled policy, which is compiled once for each uid, resourceVersion and spec. */
export const compileValidatingPolicy: (policy: ValidatingAdmissionPolicy) => ValidatingEvaluator = compiledOnce(compile)
