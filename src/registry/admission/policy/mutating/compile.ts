/** Compiles MutatingAdmissionPolicies. Follows compilePolicy of the package policy/mutating. */
import type { MutatingAdmissionPolicy } from '../../../../catalog/generated/types/admissionregistration.v1.ts'
import { BOOL, listOf, objectType } from '../../../../cel/types.ts'
import { compiledOnce } from '../shared/compiled-policies.ts'
import { PolicyCompiler, type PolicyExpression, type PolicyVariable } from '../shared/expressions.ts'
import type { CompiledPolicy } from '../shared/hooks.ts'

/** A mutation by its type. */
export interface Mutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
  readonly expression: PolicyExpression
}

/** A compiled MutatingAdmissionPolicy. */
export interface MutatingEvaluator extends CompiledPolicy {
  readonly variables: readonly PolicyVariable[]
  readonly conditions: readonly PolicyExpression[]
  readonly mutations: readonly Mutation[]
}

const configuration = objectType('Object')
const patches = listOf(objectType('JSONPatch'))

function compile({ spec }: MutatingAdmissionPolicy): MutatingEvaluator {
  const { paramKind, variables = [], matchConditions = [], mutations = [] } = spec
  const compiler = new PolicyCompiler(paramKind === undefined ? [] : ['params'])
  for (const { name, expression } of variables) compiler.addVariable(name, expression)
  const conditions = matchConditions.map(({ expression }) => compiler.compile(expression, [BOOL]))
  const compiled = mutations.flatMap(({ applyConfiguration, jsonPatch }): readonly Mutation[] => {
    const text = (applyConfiguration ?? jsonPatch)?.expression
    if (text === undefined) return []
    const isConfiguration = applyConfiguration !== undefined
    const expression = compiler.compile(text, [isConfiguration ? configuration : patches], ['authorizer', 'patches'])
    return [{ patchType: isConfiguration ? 'ApplyConfiguration' : 'JSONPatch', expression }]
  })
  const all = [
    ...compiler.variables.map(({ expression }) => expression),
    ...conditions,
    ...compiled.map(({ expression }) => expression),
  ]
  return {
    variables: compiler.variables,
    conditions,
    mutations: compiled,
    needsNamespace: all.some(({ needsNamespace }) => needsNamespace),
  }
}

/** Returns the compiled policy, which is compiled once for each uid, resourceVersion and spec. */
export const compileMutatingPolicy: (policy: MutatingAdmissionPolicy) => MutatingEvaluator = compiledOnce(compile)
