/**
 * Reconciles bootstrap objects at start-up, if they have been changed. Pure: the wiring writes them. Follows the reconcilers of
 * bootstrap roles (k8s.io/kubernetes/pkg/registry/rbac/reconciliation), of flow schemas and priority levels (flowcontrol/ensurer
 * of apiserver), and of APIServices (autoregister of kube-aggregator).
 */
import { equalValues } from '../../apply/value.ts'
import { uncovered } from '../../auth/rbac/coverage.ts'
import type { PolicyRule } from '../../clusters/rbac-objects.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** The object to write; 'again' if it has to be deleted and recreated; undefined if it stays as it is. */
export type Reconciled = JsonObject | 'again' | undefined

/**
 * Reconciles an existing object.
 * @param wanted the object as it would be created, with defaults
 */
export type Reconcile = (existing: KubernetesObject, wanted: JsonObject) => Reconciled

type Texts = Readonly<Record<string, string>>

const rbacUpdates = 'rbac.authorization.kubernetes.io/autoupdate'
const flowControlUpdates = 'apf.kubernetes.io/autoupdate-spec'

/** Merges labels or annotations; existing values win. */
const merged = (wanted: JsonValue | undefined, existing: Texts | undefined): Texts => ({
  ...(wanted as Texts | undefined),
  ...existing,
})

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])

/** Appends the missing items to a list. */
function completed(list: JsonValue | undefined, wanted: JsonValue | undefined): JsonValue[] {
  const there = listOf(list)
  return [...there, ...listOf(wanted).filter((one) => !there.some((other) => equalValues(one, other)))]
}

/** Whether a field has the wanted value. An empty list is stored as an absent field. */
const isSame = (field: JsonValue | undefined, wanted: JsonValue): boolean =>
  field === undefined ? Array.isArray(wanted) && wanted.length === 0 : equalValues(field, wanted)

/** Returns the object with these fields; undefined if it already has them. */
function withFields(existing: KubernetesObject, fields: JsonObject): Reconciled {
  const object = existing as unknown as JsonObject
  return Object.entries(fields).every(([name, value]) => isSame(object[name], value)) ? undefined : { ...object, ...fields }
}

/** Returns the metadata with missing labels and annotations added. */
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

/**
 * Whether the object is still as it was created: a quick check that suffices for most objects.
 * @param made the object before defaulting
 */
export function isAsMade({ metadata, ...existing }: KubernetesObject, { metadata: labelled, ...made }: JsonObject): boolean {
  const { labels, annotations } = labelled as JsonObject
  // The rules of an aggregated role are written by the aggregation controller.
  const isCompared = ([field]: [string, JsonValue]): boolean =>
    field !== 'status' && !(field === 'rules' && 'aggregationRule' in made)
  return (
    hasTexts(metadata.labels, labels) &&
    hasTexts(metadata.annotations, annotations) &&
    Object.entries(made)
      .filter(isCompared)
      .every(([field, value]) => isSame((existing as unknown as JsonObject)[field], value))
  )
}

const isProtected = ({ metadata }: KubernetesObject): boolean => metadata.annotations?.[rbacUpdates] === 'false'

/** Restores missing rules, in their smallest parts; of an aggregated role, its selectors. */
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

/** Restores missing subjects; a binding to another role is recreated, because roleRef is immutable. */
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

/**
 * Returns the spec to write. Administrators may choose the `exempt` settings (nominal shares and lendable percent) of the exempt
 * level.
 */
function specFor(existing: KubernetesObject, wanted: JsonObject): JsonValue {
  const { exempt } = (existing as unknown as { spec: JsonObject }).spec
  const spec = wanted.spec as JsonObject
  return spec.type === 'Exempt' && exempt !== undefined ? { ...spec, exempt } : spec
}

/** Restores a mandatory object: administrators may only change its labels, other annotations and the exempt settings. */
export const reconcileMandatory: Reconcile = (existing, wanted) =>
  withFields(existing, { metadata: annotated(existing, 'true'), spec: specFor(existing, wanted) })

/** Updates a suggested object until an administrator takes it over, by the annotation or by a change without the annotation. */
export const reconcileSuggested: Reconcile = (existing, wanted) => {
  const annotation = existing.metadata.annotations?.[flowControlUpdates]
  const follows = annotation === 'true' || (annotation !== 'false' && existing.metadata.generation === 1)
  if (!follows) return withFields(existing, { metadata: annotated(existing, 'false') })
  return reconcileMandatory(existing, wanted)
}

const automanaged = 'kube-aggregator.kubernetes.io/automanaged'

/** Whether an object follows the release by its annotation or label. */
export const isLeftBehind = ({ metadata: { annotations, labels } }: KubernetesObject): boolean =>
  annotations?.[flowControlUpdates] === 'true' || labels?.[automanaged] === 'onstart'

/** Restores the spec of an APIService that has the automanaged label. */
export const reconcileApiService: Reconcile = (existing, wanted) =>
  existing.metadata.labels?.[automanaged] === undefined ? undefined : withFields(existing, { spec: wanted.spec ?? null })

const objectOf = (value: JsonValue | undefined): JsonObject => (value ?? {}) as JsonObject

/** Whether a schema has a field, at any depth, that another one does not have. */
function hasOtherFields(schema: JsonObject, than: JsonObject): boolean {
  const known = objectOf(than.properties)
  return Object.entries(objectOf(schema.properties)).some(
    ([name, field]) => known[name] === undefined || hasOtherFields(objectOf(field), objectOf(known[name])),
  )
}

/** Returns the schemas of a CustomResourceDefinition by its versions. */
function schemasOf(spec: JsonObject): ReadonlyMap<JsonValue | undefined, JsonObject> {
  const versions = listOf(spec.versions) as readonly JsonObject[]
  return new Map(versions.map(({ name, schema }) => [name, objectOf(objectOf(schema).openAPIV3Schema)]))
}

/**
 * Gives a CustomResourceDefinition the spec of the release. One with other fields stays: it is that of a later release, and without
 * these fields the objects would lose theirs.
 */
export const reconcileDefinition: Reconcile = (existing, wanted) => {
  const spec = objectOf(wanted.spec)
  const known = schemasOf(spec)
  const there = schemasOf((existing as unknown as { spec: JsonObject }).spec)
  const isLater = [...there].some(([version, schema]) => hasOtherFields(schema, known.get(version) ?? {}))
  return isLater ? undefined : withFields(existing, { spec })
}
