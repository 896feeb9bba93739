/** Objects as manifests: without the fields that the server sets, and without the objects that it makes by itself. */
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'

/** An object with the fields that every manifest has. */
export interface Manifest extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: JsonObject
}

/** An owner reference. */
export interface OwnerReference extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
}

const objectAt = (object: JsonObject, field: string): JsonObject => {
  const value = object[field]
  return isObject(value ?? null) ? (value as JsonObject) : {}
}

/** Returns a text field; '' if it is absent. */
export const textAt = (object: JsonObject, field: string): string => {
  const value = object[field]
  return typeof value === 'string' ? value : ''
}

/** Returns the name of an object. */
export const nameOf = ({ metadata }: Manifest): string => textAt(metadata, 'name')
/** Returns the namespace of an object; '' if it has none. */
export const namespaceOf = ({ metadata }: Manifest): string => textAt(metadata, 'namespace')

/** Returns the owner references of an object. */
export function ownersOf({ metadata }: Manifest): readonly OwnerReference[] {
  const owners = metadata.ownerReferences
  return Array.isArray(owners) ? (owners as OwnerReference[]) : []
}

/** Fields of metadata that the server sets. */
const serverMetadata = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]

/** Annotations and labels that servers, controllers and kubectl set. */
const serverTexts: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/revision',
  'kubernetes.io/metadata.name',
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
  'batch.kubernetes.io/controller-uid',
  'controller-uid',
])

const serverFinalizers: ReadonlySet<string> = new Set(['kubernetes.io/pv-protection', 'kubernetes.io/pvc-protection'])

/** Whether an annotation or label is set by servers, controllers or kubectl. */
export const isServerText = (name: string): boolean => serverTexts.has(name)

/** Whether a finalizer is set by servers. */
export const isServerFinalizer = (name: string): boolean => serverFinalizers.has(name)

function withoutServerTexts(texts: JsonValue | undefined): JsonObject | undefined {
  if (!isObject(texts ?? null)) return undefined
  const kept = Object.entries(texts as JsonObject).filter(([name]) => !serverTexts.has(name))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

function metadataOf(metadata: JsonObject): JsonObject {
  const kept: JsonObject = { ...metadata }
  for (const field of serverMetadata) delete kept[field]
  for (const field of ['labels', 'annotations']) {
    const texts = withoutServerTexts(kept[field])
    if (texts === undefined) delete kept[field]
    else kept[field] = texts
  }
  const finalizers = Array.isArray(kept.finalizers) ? kept.finalizers.filter((one) => !serverFinalizers.has(String(one))) : []
  if (finalizers.length === 0) delete kept.finalizers
  else kept.finalizers = finalizers
  return kept
}

/** Removes fields of the spec that the server sets, by kind. The spec is a copy. */
const specCleaners: Readonly<Record<string, (spec: JsonObject) => void>> = {
  'v1/Namespace': (spec) => {
    delete spec.finalizers
  },
  'v1/Service': (spec) => {
    // The addresses belong to the range of the cluster; a headless Service has none.
    if (spec.clusterIP !== 'None') {
      delete spec.clusterIP
      delete spec.clusterIPs
    }
  },
  'batch/v1/Job': (spec) => {
    if (spec.manualSelector === true) return
    delete spec.selector
    const template = { ...objectAt(spec, 'template') }
    template.metadata = metadataOf(objectAt(template, 'metadata'))
    spec.template = template
  },
  'v1/PersistentVolume': (spec) => {
    const claim = { ...objectAt(spec, 'claimRef') }
    if (Object.keys(claim).length === 0) return
    delete claim.uid
    delete claim.resourceVersion
    spec.claimRef = claim
  },
}

/** Returns the object as a person would write it: without status and the fields that the server sets. */
export function cleaned(object: Manifest): Manifest {
  const { status: _status, ...rest } = object
  const manifest: JsonObject = { ...rest, metadata: metadataOf(object.metadata) }
  const clean = specCleaners[`${object.apiVersion}/${object.kind}`]
  if (clean !== undefined) {
    const spec = { ...objectAt(manifest, 'spec') }
    clean(spec)
    if (Object.keys(spec).length === 0) delete manifest.spec
    else manifest.spec = spec
  }
  return manifest as Manifest
}

/** Resources whose objects are records of the moment, or follow from others. */
const derivedResources: ReadonlySet<string> = new Set([
  'bindings',
  'componentstatuses',
  'endpoints',
  'endpointslices.discovery.k8s.io',
  'events',
  'events.events.k8s.io',
  'ipaddresses.networking.k8s.io',
  'leases.coordination.k8s.io',
  'servicecidrs.networking.k8s.io',
  'certificatesigningrequests.certificates.k8s.io',
  'clusters.edgeplane.dev',
])

/** Whether the objects of a resource are never exported. */
export const isDerivedResource = (resource: string): boolean => derivedResources.has(resource)

const systemNamespaces: ReadonlySet<string> = new Set(['default', 'kube-node-lease', 'kube-public', 'kube-system'])
const systemConfigMaps: ReadonlySet<string> = new Set([
  'kube-system/extension-apiserver-authentication',
  'kube-system/kube-apiserver-legacy-service-account-token-tracking',
])

/** The types of Secrets that are credentials of their cluster, and of no use in another one. */
const credentialTypes: ReadonlySet<string> = new Set(['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'])

/** Tells, by kind, which objects every server makes by itself, or are valid in one cluster only. */
const madeByServer: Readonly<Record<string, (object: Manifest) => boolean>> = {
  'v1/Namespace': (object) => systemNamespaces.has(nameOf(object)),
  'v1/ServiceAccount': (object) => nameOf(object) === 'default' && isPlainAccount(object),
  'v1/ConfigMap': (object) =>
    nameOf(object) === 'kube-root-ca.crt' || systemConfigMaps.has(`${namespaceOf(object)}/${nameOf(object)}`),
  'v1/Service': (object) => namespaceOf(object) === 'default' && nameOf(object) === 'kubernetes',
  'v1/Secret': (object) => credentialTypes.has(String(object.type)),
  'scheduling.k8s.io/v1/PriorityClass': (object) => nameOf(object).startsWith('system-'),
  'apiregistration.k8s.io/v1/APIService': ({ spec }) => !isObject(spec ?? null) || (spec as JsonObject).service === undefined,
}

/** Whether an account has nothing that somebody has added. */
const isPlainAccount = (object: Manifest): boolean => {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = cleaned(object)
  return Object.keys(rest).length === 0 && metadata.labels === undefined && metadata.annotations === undefined
}

/** Whether every server has the object, or makes it from others. */
export function isOfServer(object: Manifest): boolean {
  const { apiVersion, kind, metadata } = object
  if (madeByServer[`${apiVersion}/${kind}`]?.(object) === true) return true
  if (textAt(objectAt(metadata, 'labels'), 'kubernetes.io/bootstrapping') === 'rbac-defaults') return true
  return objectAt(metadata, 'annotations')['apf.kubernetes.io/autoupdate-spec'] !== undefined
}
