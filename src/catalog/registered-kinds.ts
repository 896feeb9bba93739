/**
 * The kinds that the scheme of each API server inside kube-apiserver knows. The error for a body with another kind depends on it.
 */
import { scheme, type TypeMeta } from '../meta/type-meta.ts'
import { registered } from './generated/registered.ts'
import type { KindFacts } from './kind.ts'

const namesOf = (text: string): readonly string[] => text.split(' ')

/** The option kinds that every version knows besides its own kinds. */
const options = namesOf('CreateOptions DeleteOptions GetOptions ListOptions PatchOptions UpdateOptions WatchEvent')

/** Kinds that are registered in every version, even in those of unknown groups. */
const unversioned = new Set(namesOf('APIGroup APIGroupList APIResourceList APIVersions Status'))

/** Kinds of one version that have no ObjectMeta and are therefore not in the catalogue. */
const others: Readonly<Record<string, string>> = {
  v1: 'List NodeProxyOptions PodAttachOptions PodExecOptions PodLogOptions PodPortForwardOptions PodProxyOptions SerializedReference ServiceProxyOptions',
  'admission.k8s.io/v1': 'AdmissionReview',
  'admission.k8s.io/v1beta1': 'AdmissionReview',
  'apiextensions.k8s.io/v1': 'ConversionReview',
  'apiextensions.k8s.io/v1beta1': 'ConversionReview',
}

/** Groups with an API server of their own inside kube-apiserver: its scheme has only its own kinds and the options of v1. */
const separate: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** Groups that no API server serves: responses are encoded as their kinds. */
const unserved: ReadonlySet<string> = new Set(['apidiscovery.k8s.io', 'meta.k8s.io'])

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/', 1)[0] ?? '') : '')

const all = new Map<string, ReadonlySet<string>>()

/** Returns the kinds of a version, computed on first use. */
function kindsOf(apiVersion: string): ReadonlySet<string> {
  let kinds = all.get(apiVersion)
  if (kinds === undefined) {
    const own = Object.hasOwn(registered, apiVersion) ? namesOf(registered[apiVersion] ?? '') : []
    const more = Object.hasOwn(others, apiVersion) ? namesOf(others[apiVersion] ?? '') : []
    kinds = new Set(own.length + more.length === 0 ? [] : [...own, ...more, ...options])
    // Unknown names are not cached: clients can invent any number of them.
    if (kinds.size > 0) all.set(apiVersion, kinds)
  }
  return kinds
}

/**
 * Whether a kind is registered in a version.
 * @param group the group of the requested resource, which determines the API server
 */
export function isRegistered(group: string, apiVersion: string, kind: string): boolean {
  if (unversioned.has(kind)) return true
  const named = groupOf(apiVersion)
  if (unserved.has(named)) return false
  if (separate.has(group) ? named === group : !separate.has(named)) return kindsOf(apiVersion).has(kind)
  return apiVersion === 'v1' && separate.has(group) && options.includes(kind)
}

/** Returns Go's name of the type of a registered kind: `v1.Secret`. Kinds that all versions share are in meta/v1. */
export function goTypeOf(apiVersion: string, kind: string): string {
  const isCommon = unversioned.has(kind) || options.includes(kind)
  return `${isCommon ? 'v1' : apiVersion.slice(apiVersion.indexOf('/') + 1)}.${kind}`
}

/** Returns Go's name of the internal type, to which all versions of a kind convert: `core.ConfigMap`. */
export function internalType({ kind, storage: { group } }: KindFacts): string {
  return `${group === '' ? 'core' : (group.split('.')[0] ?? '')}.${kind}`
}

/** Kinds that have one internal type for several groups. */
const sharedKinds: Readonly<Record<string, readonly string[]>> = {
  DaemonSet: ['apps', 'extensions'],
  Deployment: ['apps', 'extensions'],
  Event: ['', 'events.k8s.io'],
  Ingress: ['extensions', 'networking.k8s.io'],
  NetworkPolicy: ['extensions', 'networking.k8s.io'],
  ReplicaSet: ['apps', 'extensions'],
  Scale: ['apps', 'autoscaling', 'extensions'],
}

function isSameKind(kind: KindFacts, apiVersion: string, name: string): boolean {
  if (name !== kind.kind) return false
  const [given, own] = [groupOf(apiVersion), groupOf(kind.apiVersion)]
  const shared = Object.hasOwn(sharedKinds, name) ? (sharedKinds[name] ?? []) : []
  return given === own || (shared.includes(given) && shared.includes(own))
}

/** Whether the reason of a mismatch is that the scheme does not know the declared kind. */
export const isUnregistered = (reason: string): boolean => reason.startsWith('no kind ')

/** Whether an apiVersion has no version, and no group but that of the kind: it means the version of the request. */
export const isUnversioned = (kind: KindFacts, apiVersion: string): boolean =>
  apiVersion === '' || apiVersion === `${kind.group}/`

/** Returns Go's name of the internal type of a registered kind, or undefined if no version of the group has the kind. */
function internalTypeOf(group: string, kind: string): string | undefined {
  if (unversioned.has(kind)) return `v1.${kind}`
  if (kind === 'WatchEvent') return 'v1.InternalEvent'
  if (options.includes(kind) || unserved.has(group)) return undefined
  const versions = [...Object.keys(registered), ...Object.keys(others)].filter((version) => groupOf(version) === group)
  if (!versions.some((version) => kindsOf(version).has(kind))) return undefined
  return `${group === '' ? 'core' : (group.split('.')[0] ?? '')}.${kind}`
}

/**
 * Returns the reason that the result of a patch, which may declare the internal version, is not of the kind.
 * @param group the group of the internal version
 */
export function internalMismatch(kind: KindFacts, group: string, name: string): string {
  const type = internalTypeOf(group, name)
  if (type !== undefined) return `converting (${type}) to (${internalType(kind)}): unknown conversion`
  return `no kind "${name}" is registered for the internal version of group "${group}" in scheme "${scheme}"`
}

/** Returns the reason that an object with this apiVersion and kind is not of the kind, or undefined if it is. */
export function mismatch(kind: KindFacts, typeMeta: TypeMeta): string | undefined {
  const apiVersion = isUnversioned(kind, typeMeta.apiVersion) ? kind.apiVersion : typeMeta.apiVersion
  const name = typeMeta.kind === '' ? kind.kind : typeMeta.kind
  if (apiVersion === kind.apiVersion && name === kind.kind) return undefined
  if (/(^|\/)__internal$/.test(apiVersion)) {
    if (name === kind.kind && groupOf(apiVersion) === kind.group) return undefined
    return `no kind "${name}" is registered for the internal version of group "${groupOf(apiVersion)}" in scheme "${scheme}"`
  }
  if (!isRegistered(kind.storage.group, apiVersion, name)) {
    return `no kind "${name}" is registered for version "${apiVersion}" in scheme "${scheme}"`
  }
  if (isSameKind(kind, apiVersion, name)) return undefined
  return `converting (${goTypeOf(apiVersion, name)}) to (${internalType(kind)}): unknown conversion`
}
