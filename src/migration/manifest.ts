/** Converts manifests of removed versions so that they mean the same in the version that is served. */
import { changes as changesBetween } from '../catalog/conversion/changes.ts'
import { copyOf, isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { changesOf } from './guide.ts'
import { apiVersionText, type Removal, type ResourceVersion } from './removals.ts'

/** Returns a member that is an object; an empty object otherwise. */
const objectAt = (object: JsonObject, name: string): JsonObject => {
  const value = object[name]
  return isObject(value) ? value : {}
}

/** Returns an object in which members that are absent have these values. */
const withDefaults = (object: JsonObject, defaults: JsonObject): JsonObject => {
  const absent = Object.entries(defaults).filter(([name]) => object[name] === undefined)
  return absent.length === 0 ? object : { ...object, ...Object.fromEntries(absent) }
}

const withSpec = (object: JsonObject, change: (spec: JsonObject) => JsonObject): JsonObject => ({
  ...object,
  spec: change(objectAt(object, 'spec')),
})

/** Writes the selector that the removed versions took from the template. */
function withSelector(spec: JsonObject): JsonObject {
  const labels = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels')
  return isObject(spec.selector) ? spec : { ...spec, selector: { matchLabels: labels } }
}

const without = (object: JsonObject, name: string): JsonObject => {
  const { [name]: _gone, ...rest } = object
  return rest
}

/** Writes the default of the removed version for the type of an update. */
const updatedOnDelete = (spec: JsonObject): JsonObject => withDefaults(spec, { updateStrategy: { type: 'OnDelete' } })

/** Writes the defaults of extensions/v1beta1 for a rolling update. */
function rollingByOne(spec: JsonObject): JsonObject {
  const strategy = objectAt(spec, 'strategy')
  if (strategy.type === 'Recreate') return spec
  const rollingUpdate = withDefaults(objectAt(strategy, 'rollingUpdate'), { maxSurge: 1, maxUnavailable: 1 })
  return { ...spec, strategy: { type: 'RollingUpdate', ...strategy, rollingUpdate } }
}

/** The number by which extensions/v1beta1 means that there is no limit. */
const noLimit = 2147483647

const webhookDefaults: JsonObject = {
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  timeoutSeconds: 30,
  admissionReviewVersions: ['v1beta1'],
}

const formerWebhooks = (object: JsonObject): JsonObject => ({
  ...object,
  ...(Array.isArray(object.webhooks) && {
    webhooks: object.webhooks.map((webhook) => (isObject(webhook) ? withDefaults(webhook, webhookDefaults) : webhook)),
  }),
})

/** Writes the path type that paths of v1beta1 had. */
function withPathTypes(spec: JsonObject): JsonObject {
  const rules = Array.isArray(spec.rules) ? spec.rules : []
  const typed = (path: JsonValue): JsonValue =>
    isObject(path) ? withDefaults(path, { pathType: 'ImplementationSpecific' }) : path
  const changed = rules.map((rule) => {
    if (!isObject(rule) || !isObject(rule.http) || !Array.isArray(rule.http.paths)) return rule
    return { ...rule, http: { ...rule.http, paths: rule.http.paths.map(typed) } }
  })
  return rules.length === 0 ? spec : { ...spec, rules: changed }
}

/** Removes a selector that selected no Pods and would select all. */
const withoutEmptySelector = (spec: JsonObject): JsonObject =>
  isObject(spec.selector) && Object.keys(spec.selector).every((name) => isEmpty(spec.selector, name))
    ? without(spec, 'selector')
    : spec

const isEmpty = (value: JsonValue | undefined, name: string): boolean => {
  const member = isObject(value) ? value[name] : undefined
  if (Array.isArray(member)) return member.length === 0
  return member === undefined || member === null || (isObject(member) && Object.keys(member).length === 0)
}

const zoneLabel = 'topology.kubernetes.io/zone'
const hostLabel = 'kubernetes.io/hostname'

/** Names the node of each endpoint. The topology keeps only the zone, which has a field of its own. */
const withNodes = (object: JsonObject): JsonObject => ({
  ...object,
  ...(Array.isArray(object.endpoints) && {
    endpoints: object.endpoints.map((endpoint) => {
      if (!isObject(endpoint) || !isObject(endpoint.topology)) return endpoint
      const { topology, ...rest } = endpoint
      const { [hostLabel]: nodeName, [zoneLabel]: zone } = topology
      const placed = withDefaults(rest, nodeName === undefined ? {} : { nodeName })
      return zone === undefined ? placed : { ...placed, topology: { [zoneLabel]: zone } }
    }),
  }),
})

const ingress = (object: JsonObject): JsonObject => withSpec(object, withPathTypes)
const selected = (object: JsonObject): JsonObject => withSpec(object, withSelector)

/** Writes the defaults that the removed version had and its replacement has not, by `<apiVersion> <kind>`. */
const formerDefaults: Readonly<Record<string, (object: JsonObject) => JsonObject>> = {
  'extensions/v1beta1 Ingress': ingress,
  'networking.k8s.io/v1beta1 Ingress': ingress,
  'extensions/v1beta1 DaemonSet': (object) =>
    withSpec(object, (spec) => without(updatedOnDelete(withSelector(spec)), 'templateGeneration')),
  'apps/v1beta2 DaemonSet': (object) => withSpec(object, (spec) => without(withSelector(spec), 'templateGeneration')),
  'extensions/v1beta1 Deployment': (object) =>
    withSpec(object, (spec) =>
      withDefaults(rollingByOne(without(withSelector(spec), 'rollbackTo')), {
        progressDeadlineSeconds: noLimit,
        revisionHistoryLimit: noLimit,
      }),
    ),
  'apps/v1beta1 Deployment': (object) =>
    withSpec(object, (spec) => withDefaults(without(withSelector(spec), 'rollbackTo'), { revisionHistoryLimit: 2 })),
  'apps/v1beta2 Deployment': selected,
  'apps/v1beta1 StatefulSet': (object) => withSpec(object, (spec) => updatedOnDelete(withSelector(spec))),
  'apps/v1beta2 StatefulSet': selected,
  'extensions/v1beta1 ReplicaSet': selected,
  'apps/v1beta2 ReplicaSet': selected,
  'admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration': formerWebhooks,
  'admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration': formerWebhooks,
  'apiextensions.k8s.io/v1beta1 CustomResourceDefinition': (object) =>
    withSpec(object, (spec) => withDefaults(spec, { scope: 'Namespaced' })),
  'discovery.k8s.io/v1beta1 EndpointSlice': withNodes,
  'policy/v1beta1 PodDisruptionBudget': (object) => withSpec(object, withoutEmptySelector),
}

const generationMark = 'deprecated.daemonset.template.generation'

/** Removes the annotation in which the conversion keeps a generation that the manifest does not have. */
function removeMark(metadata: JsonObject): void {
  if (!isObject(metadata.annotations) || metadata.annotations[generationMark] !== '0') return
  delete metadata.annotations[generationMark]
  if (Object.keys(metadata.annotations).length === 0) delete metadata.annotations
}

const keyOf = ({ group, version, resource }: ResourceVersion): string => `${group}/${version}/${resource}`

/**
 * Converts a manifest to the replacement of its version, with the defaults that it had.
 * @returns undefined if the kind is gone, or if the fields differ and nothing converts them
 */
export function convertedManifest(manifest: JsonObject, removal: Removal): JsonObject | undefined {
  const { replacement } = removal
  if (replacement === undefined) return undefined
  const former = apiVersionText(removal)
  const { toStorage } = changesBetween[keyOf(removal)] ?? {}
  if (toStorage === undefined && changesOf(former, removal.kind).movesFields !== undefined) return undefined
  const { apiVersion: _apiVersion, kind: _kind, ...fields } = formerDefaults[`${former} ${removal.kind}`]?.(manifest) ?? manifest
  const copy = copyOf({ ...fields, metadata: objectAt(fields, 'metadata') }) as JsonObject
  toStorage?.(copy)
  changesBetween[keyOf(replacement)]?.fromStorage?.(copy)
  if (isObject(copy.metadata)) removeMark(copy.metadata)
  return { apiVersion: apiVersionText(replacement), kind: replacement.kind, ...copy }
}
