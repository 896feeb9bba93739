/**
 * What becomes of an object that is there from the beginning when the server starts and somebody has changed it. Pure: the wiring
 * writes it. Follows the reconcilers of bootstrap roles (k8s.io/kubernetes/pkg/registry/rbac/reconciliation), of flow schemas and
 * priority levels (apiserver's flowcontrol/ensurer), and of API services (kube-aggregator's autoregister).
 */
import { equalValues } from '../../apply/value.ts'
import { uncovered } from '../../auth/rbac/coverage.ts'
import type { PolicyRule } from '../../clusters/rbac-objects.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** What is to be written; 'again': it is to be deleted and made anew; undefined: it stays. */
export type Reconciled = JsonObject | 'again' | undefined

/** @param wanted as it is made where there is none, defaulted */
export type Reconcile = (existing: KubernetesObject, wanted: JsonObject) => Reconciled

type Texts = Readonly<Record<string, string>>

const rbacUpdates = 'rbac.authorization.kubernetes.io/autoupdate'
const flowControlUpdates = 'apf.kubernetes.io/autoupdate-spec'

/** Of both, what is there first. */
const merged = (wanted: JsonValue | undefined, existing: Texts | undefined): Texts => ({
  ...(wanted as Texts | undefined),
  ...existing,
})

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])

/** The list with what it lacks. */
function completed(list: JsonValue | undefined, wanted: JsonValue | undefined): JsonValue[] {
  const there = listOf(list)
  return [...there, ...listOf(wanted).filter((one) => !there.some((other) => equalValues(one, other)))]
}

/** A list that holds nothing is stored as none. */
const isSame = (field: JsonValue | undefined, wanted: JsonValue): boolean =>
  field === undefined ? Array.isArray(wanted) && wanted.length === 0 : equalValues(field, wanted)

/** The object with these fields; undefined where it has them. */
function withFields(existing: KubernetesObject, fields: JsonObject): Reconciled {
  const object = existing as unknown as JsonObject
  return Object.entries(fields).every(([name, value]) => isSame(object[name], value)) ? undefined : { ...object, ...fields }
}

/** The metadata with the labels and annotations that are missing. */
function metadataOf({ metadata }: KubernetesObject, { metadata: wanted }: JsonObject): JsonObject {
  const { labels, annotations } = wanted as JsonObject
  return {
    ...(metadata as JsonObject),
    labels: merged(labels, metadata.labels),
    annotations: merged(annotations, metadata.annotations),
  }
}

const hasTexts = (texts: Texts | undefined, wanted: JsonValue | undefined): boolean =>
  Object.entries((wanted ?? {}) as Texts).every(([key, value]) => texts?.[key] === value)

/** Whether it is still as it was made, which is quickly told of most objects. @param made not yet defaulted */
export function isAsMade({ metadata, ...existing }: KubernetesObject, { metadata: labelled, ...made }: JsonObject): boolean {
  const { labels, annotations } = labelled as JsonObject
  // Who gathers the rules of an aggregated role is another controller.
  const told = ([field]: [string, JsonValue]): boolean => field !== 'status' && !(field === 'rules' && 'aggregationRule' in made)
  return (
    hasTexts(metadata.labels, labels) &&
    hasTexts(metadata.annotations, annotations) &&
    Object.entries(made)
      .filter(told)
      .every(([field, value]) => isSame((existing as unknown as JsonObject)[field], value))
  )
}

const isProtected = ({ metadata }: KubernetesObject): boolean => metadata.annotations?.[rbacUpdates] === 'false'

/** Rules that are missing come back, in their smallest parts; of an aggregated role, its selectors. */
export const reconcileRole: Reconcile = (existing, wanted) => {
  if (isProtected(existing)) return undefined
  const { rules, aggregationRule } = existing as unknown as JsonObject
  const metadata = metadataOf(existing, wanted)
  if (wanted.aggregationRule !== undefined) {
    const selectors = (rule: JsonValue | undefined) => (rule as JsonObject | undefined)?.clusterRoleSelectors
    const clusterRoleSelectors = completed(selectors(aggregationRule), selectors(wanted.aggregationRule))
    return withFields(existing, { metadata, aggregationRule: { clusterRoleSelectors } })
  }
  const there = listOf(rules) as unknown as PolicyRule[]
  const missing = uncovered(there, listOf(wanted.rules) as unknown as PolicyRule[])
  return withFields(existing, { metadata, ...(missing.length > 0 && { rules: [...there, ...missing] as unknown as JsonValue }) })
}

/** Subjects that are missing come back; a binding to another role is replaced. */
export const reconcileBinding: Reconcile = (existing, wanted) => {
  if (isProtected(existing)) return undefined
  const { roleRef, subjects } = existing as unknown as JsonObject
  if (!equalValues(roleRef ?? null, wanted.roleRef ?? null)) return 'again'
  const metadata = metadataOf(existing, wanted)
  return withFields(existing, { metadata, subjects: completed(subjects, wanted.subjects) })
}

const annotated = ({ metadata }: KubernetesObject, value: 'true' | 'false'): JsonObject => ({
  ...(metadata as JsonObject),
  annotations: { ...metadata.annotations, [flowControlUpdates]: value },
})

/** How many seats the exempt level lends is for the cluster's administrators to say. */
function specFor(existing: KubernetesObject, wanted: JsonObject): JsonValue {
  const { exempt } = (existing as unknown as { spec: JsonObject }).spec
  const spec = wanted.spec as JsonObject
  return spec.type === 'Exempt' && exempt !== undefined ? { ...spec, exempt } : spec
}

/** Of what no cluster can be without, only the labels are anybody else's. */
export const reconcileMandatory: Reconcile = (existing, wanted) =>
  withFields(existing, { metadata: annotated(existing, 'true'), spec: specFor(existing, wanted) })

/** What is only proposed follows the release until somebody says otherwise, by the annotation or by a change that takes it away. */
export const reconcileSuggested: Reconcile = (existing, wanted) => {
  const said = existing.metadata.annotations?.[flowControlUpdates]
  const follows = said === 'true' || (said !== 'false' && existing.metadata.generation === 1)
  if (!follows) return withFields(existing, { metadata: annotated(existing, 'false') })
  return reconcileMandatory(existing, wanted)
}

/** Whether it follows the release, which no longer has it. */
export const isLeftBehind = ({ metadata }: KubernetesObject): boolean => metadata.annotations?.[flowControlUpdates] === 'true'

const automanaged = 'kube-aggregator.kubernetes.io/automanaged'

/** What is served stands where the release puts it, as long as it says that it is looked after. */
export const reconcileApiService: Reconcile = (existing, wanted) =>
  existing.metadata.labels?.[automanaged] === undefined ? undefined : withFields(existing, { spec: wanted.spec ?? null })
