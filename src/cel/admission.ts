/**
 * Compiles CEL expressions of admission: match conditions of webhooks and admission policies, with their variables
 * (k8s.io/apiserver/pkg/admission/plugin/cel). Objects have no schema here, so `object`, `oldObject` and `params` are dyn.
 */
import { type CheckedExpression, compile, type Program } from './compile.ts'
import type { Environment, ObjectDeclaration } from './environment.ts'
import { KUBERNETES } from './kubernetes-environment.ts'
import { JSON_PATCH } from './libraries/json-patch.ts'
import { patchObject } from './patch-objects.ts'
import {
  ANY,
  BOOL,
  type CelType,
  DYN,
  INT,
  isSameType,
  listOf,
  mapOf,
  objectType,
  STRING,
  TIMESTAMP,
  typeText,
  unwrapped,
} from './types.ts'
import { CelError } from './value.ts'

/** The optional parts of the environment, beyond the objects, the request and the namespace. */
export type AdmissionPart = 'params' | 'authorizer' | 'patches'

const labels = mapOf(STRING, STRING)
const texts = listOf(STRING)
const kindType = objectType('kubernetes.GroupVersionKind')
const resourceType = objectType('kubernetes.GroupVersionResource')

const declared = (name: string, fields: Readonly<Record<string, CelType>>): ObjectDeclaration => ({
  name: `kubernetes.${name}`,
  fields: new Map(Object.entries(fields)),
})

/** The types of `request` and `namespaceObject`. */
export const admissionObjects: readonly ObjectDeclaration[] = [
  declared('GroupVersionKind', { group: STRING, version: STRING, kind: STRING }),
  declared('GroupVersionResource', { group: STRING, version: STRING, resource: STRING }),
  declared('UserInfo', { username: STRING, uid: STRING, groups: texts, extra: mapOf(STRING, texts) }),
  declared('AdmissionRequest', {
    kind: kindType,
    resource: resourceType,
    subResource: STRING,
    requestKind: kindType,
    requestResource: resourceType,
    requestSubResource: STRING,
    name: STRING,
    namespace: STRING,
    operation: STRING,
    userInfo: objectType('kubernetes.UserInfo'),
    dryRun: BOOL,
    options: DYN,
  }),
  declared('NamespaceSpec', { finalizers: texts }),
  declared('NamespaceCondition', {
    status: STRING,
    type: STRING,
    lastTransitionTime: TIMESTAMP,
    message: STRING,
    reason: STRING,
  }),
  declared('NamespaceStatus', { conditions: listOf(objectType('kubernetes.NamespaceCondition')), phase: STRING }),
  declared('NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels,
    annotations: labels,
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: texts,
  }),
  declared('Namespace', {
    metadata: objectType('kubernetes.NamespaceMetadata'),
    spec: objectType('kubernetes.NamespaceSpec'),
    status: objectType('kubernetes.NamespaceStatus'),
  }),
]

/** The variables whose types do not depend on the objects. */
export const requestVariables: Readonly<Record<string, CelType>> = {
  namespaceObject: objectType('kubernetes.Namespace'),
  request: objectType('kubernetes.AdmissionRequest'),
}

const common: Readonly<Record<string, CelType>> = { object: DYN, oldObject: DYN, ...requestVariables }

const params: Readonly<Record<string, CelType>> = { params: DYN }

const authorizer: Readonly<Record<string, CelType>> = {
  authorizer: objectType('kubernetes.authorization.Authorizer'),
  'authorizer.requestResource': objectType('kubernetes.authorization.ResourceCheck'),
}

function made(parts: readonly AdmissionPart[]): Environment {
  const base = parts.includes('patches') ? KUBERNETES.with([JSON_PATCH]) : KUBERNETES
  return base.extend({
    variables: {
      ...common,
      ...(parts.includes('params') && params),
      ...(parts.includes('authorizer') && authorizer),
    },
    objects: admissionObjects,
    ...(parts.includes('patches') && { objectNamed: patchObject }),
  })
}

const environments = new Map<string, Environment>()

function environmentOf(parts: readonly AdmissionPart[]): Environment {
  const key = parts.toSorted().join()
  const known = environments.get(key)
  if (known !== undefined) return known
  const environment = made(parts)
  environments.set(key, environment)
  return environment
}

/** A compiled expression, or its error: `invalid` if the text is wrong, `internal` if the server is. */
export type AdmissionExpression =
  | { readonly kind: 'program'; readonly program: Program; readonly type: CelType; readonly checked: CheckedExpression }
  | { readonly kind: 'invalid' | 'internal'; readonly text: string }

const results = (types: readonly CelType[]): string => {
  const [first = DYN, ...others] = types
  return others.length === 0 ? typeText(first) : `one of [${types.map(typeText).join(' ')}]`
}

const composed = new Set(['bool', 'bytes', 'double', 'duration', 'int', 'null', 'string', 'timestamp', 'uint', 'any'])

/** Returns the type of a variable whose expression has this type: objects and library types become dyn. */
export function variableType(type: CelType): CelType {
  if (type.kind === 'list' || type.kind === 'map') return { ...type, parameters: type.parameters.map(variableType) }
  return composed.has(type.kind) ? type : DYN
}

/** Compiles the expressions of one policy, or of a webhook, which has no variables of its own. */
export class AdmissionCompiler {
  /** The policy's variables so far; undefined if the environment has no `variables`. */
  readonly #variables: Map<string, CelType> | undefined
  readonly #environments = new Map<string, Environment>()

  constructor(variables: 'composed' | 'none') {
    this.#variables = variables === 'composed' ? new Map() : undefined
  }

  #environment(parts: readonly AdmissionPart[]): Environment {
    const base = environmentOf(parts)
    if (this.#variables === undefined) return base
    const key = parts.join()
    const known = this.#environments.get(key)
    if (known !== undefined) return known
    const type = objectType('kubernetes.variables')
    const environment = base.extend({ variables: { variables: type }, objects: [{ name: type.name, fields: this.#variables }] })
    this.#environments.set(key, environment)
    return environment
  }

  /** Compiles an expression that must have one of these result types; ANY accepts every type. */
  compile(text: string, parts: readonly AdmissionPart[], types: readonly CelType[]): AdmissionExpression {
    const compiled = compile(text, this.#environment(parts))
    if (compiled.kind === 'issues') return { kind: 'invalid', text: `compilation failed: ${compiled.text}` }
    const { expression } = compiled
    if (!types.some((type) => type === ANY || isSameType(type, unwrapped(expression.type)))) {
      return { kind: 'invalid', text: `must evaluate to ${results(types)} but got ${typeText(expression.type)}` }
    }
    const program = expression.plan()
    if (program instanceof CelError) return { kind: 'internal', text: `program instantiation failed: ${program.message}` }
    return { kind: 'program', program, type: expression.type, checked: expression }
  }

  /** Compiles a variable for use in later expressions. An invalid variable has type dyn. */
  compileVariable(name: string, text: string, parts: readonly AdmissionPart[]): AdmissionExpression {
    const compiled = this.compile(text, parts, [ANY])
    this.#variables?.set(name, compiled.kind === 'program' ? variableType(compiled.type) : DYN)
    return compiled
  }
}
