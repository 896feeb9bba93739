/**
 * Type checking of a policy's expressions against the types of the objects that it matches: `object`, `oldObject` and `params` have
 * the types of their schemas instead of dyn. Follows typechecking.go of the ValidatingAdmissionPolicy plugin.
 */
import { admissionObjects, requestVariables, variableType } from './admission.ts'
import { compile } from './compile.ts'
import type { Environment } from './environment.ts'
import { KUBERNETES } from './kubernetes-environment.ts'
import { type DeclaredType, objectsWithin } from './schema-types.ts'
import { type CelType, DYN, objectType } from './types.ts'

/** The types of the objects in a policy's expressions. An unknown type is dyn. */
export interface CheckedTypes {
  readonly object: DeclaredType | undefined
  /** 'none' if the policy has no parameters. */
  readonly params: DeclaredType | undefined | 'none'
}

/** A variable of a policy. */
export interface PolicyVariable {
  readonly name: string
  readonly expression: string
}

function environmentOf({ object, params }: CheckedTypes): Environment {
  const paramsType = params === 'none' ? undefined : params
  const typed = [object, paramsType].flatMap((declared) => (declared === undefined ? [] : objectsWithin(declared)))
  return KUBERNETES.extend({
    variables: {
      ...requestVariables,
      object: object?.type ?? DYN,
      oldObject: object?.type ?? DYN,
      ...(params !== 'none' && { params: paramsType?.type ?? DYN }),
      authorizer: objectType('kubernetes.authorization.Authorizer'),
    },
    objects: [...admissionObjects, ...typed],
  })
}

/** Checks the expressions of one policy against one type of objects. */
export class TypeChecker {
  readonly #environment: Environment

  /** @param variables the policy's variables; an invalid one has type dyn */
  constructor(types: CheckedTypes, variables: readonly PolicyVariable[]) {
    const fields = new Map<string, CelType>()
    const type = objectType('kubernetes.variables')
    this.#environment = environmentOf(types).extend({ variables: { variables: type }, objects: [{ name: type.name, fields }] })
    for (const { name, expression } of variables) {
      const compiled = compile(expression, this.#environment)
      fields.set(name, compiled.kind === 'expression' ? variableType(compiled.expression.type) : DYN)
    }
  }

  /** Returns cel-go's text of the issues of an expression; undefined if it has none. */
  issues(expression: string): string | undefined {
    const compiled = compile(expression, this.#environment)
    return compiled.kind === 'issues' ? compiled.text : undefined
  }
}
