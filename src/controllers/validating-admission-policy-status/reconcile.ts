/**
 * Decides the warnings in the status of ValidatingAdmissionPolicies. Pure: the wiring writes them. Follows TypeChecker of
 * k8s.io/apiserver/pkg/admission/plugin/policy/validating.
 */
import type { StructuralSchema } from '../../cel/schema.ts'
import { type DeclaredType, declaredType } from '../../cel/schema-types.ts'
import { type PolicyVariable, TypeChecker } from '../../cel/type-checking.ts'
import { compareText } from '../../go/text.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { nextSlice } from '../../meta/slices.ts'

/** The maximum number of types that one rule contributes before the search for types ends. */
const maximumTypes = 10

interface Rule {
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
}

/** A ValidatingAdmissionPolicy as it is stored. */
export interface ValidatingAdmissionPolicy extends KubernetesObject {
  readonly spec: {
    readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string }
    readonly matchConstraints?: { readonly resourceRules?: readonly Rule[] }
    readonly validations?: readonly { readonly expression: string; readonly messageExpression?: string }[]
    readonly variables?: readonly PolicyVariable[]
  }
  readonly status?: { readonly observedGeneration?: number }
}

/** A kind with the names of its resource. */
export interface ServedKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly resource: string
  readonly singular: string
}

/** The kinds that the server serves, and their schemas. */
export interface ServedKinds {
  readonly all: readonly ServedKind[]
  /** Returns the schema of a kind's objects; undefined if the kind is unknown. */
  readonly schemaOf: (group: string, version: string, kind: string) => StructuralSchema | undefined
}

/** An entry of `status.typeChecking.expressionWarnings`. */
export interface ExpressionWarning {
  readonly fieldRef: string
  readonly warning: string
}

/** Returns the sorted names without wildcards: none at all if one is a wildcard. */
const exactly = (names: readonly string[] = []): readonly string[] =>
  names.some((name) => name.includes('*')) ? [] : names.toSorted()

/** Whether a kind has the resource of a rule. The core group stands for every group, as in a RESTMapper. */
function isNamed(kind: ServedKind, group: string, version: string, resource: string): boolean {
  const name = resource.toLowerCase()
  const isResource = kind.resource === name || kind.singular === name
  return isResource && kind.version === version && (group === '' || kind.group === group)
}

const compareKinds = (a: ServedKind, b: ServedKind): number =>
  compareText(a.group, b.group) || compareText(a.version, b.version) || compareText(a.kind, b.kind)

/** Yields the kinds of a rule, in the order in which they count towards the maximum. */
function* kindsOfRule({ apiGroups, apiVersions, resources = [] }: Rule, all: readonly ServedKind[]): Generator<ServedKind> {
  const named = resources.filter((resource) => !/[*/]/.test(resource)).toSorted()
  for (const group of exactly(apiGroups)) {
    for (const version of exactly(apiVersions)) {
      for (const resource of named) yield* all.filter((kind) => isNamed(kind, group, version, resource))
    }
  }
}

/** Returns the kinds that a policy's rules name, sorted. Rules with wildcards and subresources do not count. */
function kindsToCheck({ spec }: ValidatingAdmissionPolicy, all: readonly ServedKind[]): readonly ServedKind[] {
  const found = new Set<ServedKind>()
  for (const rule of spec.matchConstraints?.resourceRules ?? []) {
    let count = 0
    for (const kind of kindsOfRule(rule, all)) {
      found.add(kind)
      count++
      if (count === maximumTypes) return [...found].sort(compareKinds)
    }
  }
  return [...found].sort(compareKinds)
}

/** Returns the parameters' group, version and kind; undefined if the policy has none or its apiVersion is malformed. */
function paramKindOf({ spec }: ValidatingAdmissionPolicy): readonly [string, string, string] | undefined {
  const { apiVersion = '', kind = '' } = spec.paramKind ?? {}
  const [version = '', group = '', malformed] = apiVersion.split('/').reverse()
  return kind === '' || malformed !== undefined ? undefined : [group, version, kind]
}

function expressionsOf({ spec }: ValidatingAdmissionPolicy): readonly (readonly [fieldRef: string, expression: string])[] {
  return (spec.validations ?? []).flatMap(({ expression, messageExpression = '' }, index) => {
    const path = `spec.validations[${index}]`
    const checked: [string, string][] = [[`${path}.expression`, expression]]
    if (messageExpression !== '') checked.push([`${path}.messageExpression`, messageExpression])
    return checked
  })
}

/** Whether the controller has not seen the current spec yet. */
export function isUnobserved({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return (metadata.generation ?? 0) > (status?.observedGeneration ?? 0)
}

/**
 * Type-checks the expressions of a policy, one kind per slice.
 * @param suffix digits that make the names of types unique; messages mention them
 */
export async function typeCheck(
  policy: ValidatingAdmissionPolicy,
  { all, schemaOf }: ServedKinds,
  suffix: number,
): Promise<readonly ExpressionWarning[]> {
  let types = suffix
  const declared = (group: string, version: string, kind: string): DeclaredType | undefined => {
    const schema = schemaOf(group, version, kind)
    return schema && declaredType(schema, `${kind}${types++}`, 'resource')
  }
  const paramKind = paramKindOf(policy)
  const params = paramKind === undefined ? 'none' : declared(...paramKind)
  const warnings = expressionsOf(policy).map(([fieldRef, expression]) => ({ fieldRef, expression, texts: [] as string[] }))
  for (const { group, version, kind } of kindsToCheck(policy, all)) {
    await nextSlice()
    const object = declared(group, version, kind)
    if (object === undefined) continue
    const checker = new TypeChecker({ object, params }, policy.spec.variables ?? [])
    for (const { expression, texts } of warnings) {
      const issues = checker.issues(expression)
      if (issues !== undefined) texts.push(`${group}/${version}, Kind=${kind}: ${issues}\n`)
    }
  }
  return warnings.flatMap(({ fieldRef, texts }) => (texts.length === 0 ? [] : [{ fieldRef, warning: texts.join('\n') }]))
}
