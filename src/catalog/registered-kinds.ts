/** Which kinds the servers of the release know: a body that names another one is refused in other words. */
import { scheme, type TypeMeta } from '../meta/type-meta.ts'
import { registered } from './generated/registered.ts'
import type { KindFacts } from './kind.ts'

const namesOf = (text: string): readonly string[] => text.split(' ')

/** Options that every version knows besides its own kinds. */
const options = namesOf('CreateOptions DeleteOptions GetOptions ListOptions PatchOptions UpdateOptions WatchEvent')

/** Kinds that are known in whatever version, also of groups that nobody knows. */
const unversioned = new Set(namesOf('APIGroup APIGroupList APIResourceList APIVersions Status'))

/** Kinds of one version alone that have no ObjectMeta: the catalogue does not have them. */
const others: Readonly<Record<string, string>> = {
  v1: 'List NodeProxyOptions PodAttachOptions PodExecOptions PodLogOptions PodPortForwardOptions PodProxyOptions SerializedReference ServiceProxyOptions',
  'admission.k8s.io/v1': 'AdmissionReview',
  'admission.k8s.io/v1beta1': 'AdmissionReview',
  'apiextensions.k8s.io/v1': 'ConversionReview',
  'apiextensions.k8s.io/v1beta1': 'ConversionReview',
}

/** Groups of servers of their own within kube-apiserver: each knows no kinds but its own and the options of v1. */
const separate: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** Groups that are no server's: their kinds are what answers are encoded as. */
const unserved: ReadonlySet<string> = new Set(['apidiscovery.k8s.io', 'meta.k8s.io'])

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/', 1)[0] ?? '') : '')

const all = new Map<string, ReadonlySet<string>>()

/** The kinds of a version, made when it is first asked for. */
function kindsOf(apiVersion: string): ReadonlySet<string> {
  let kinds = all.get(apiVersion)
  if (kinds === undefined) {
    const own = Object.hasOwn(registered, apiVersion) ? namesOf(registered[apiVersion] ?? '') : []
    const more = Object.hasOwn(others, apiVersion) ? namesOf(others[apiVersion] ?? '') : []
    kinds = new Set(own.length + more.length === 0 ? [] : [...own, ...more, ...options])
    // What clients name is not kept.
    if (kinds.size > 0) all.set(apiVersion, kinds)
  }
  return kinds
}

/**
 * Whether a kind of a version is known.
 * @param group the group whose server is asked
 */
export function isRegistered(group: string, apiVersion: string, kind: string): boolean {
  if (unversioned.has(kind)) return true
  const named = groupOf(apiVersion)
  if (unserved.has(named)) return false
  if (separate.has(group) ? named === group : !separate.has(named)) return kindsOf(apiVersion).has(kind)
  return apiVersion === 'v1' && separate.has(group) && options.includes(kind)
}

/** `v1.Secret`, as Go names the type of a registered kind: what is common to all versions is of meta/v1. */
export function goTypeOf(apiVersion: string, kind: string): string {
  const isCommon = unversioned.has(kind) || options.includes(kind)
  return `${isCommon ? 'v1' : apiVersion.slice(apiVersion.indexOf('/') + 1)}.${kind}`
}

/** `core.ConfigMap`, as Go names the type that all versions of a kind convert to. */
export function internalType({ kind, storage: { group } }: KindFacts): string {
  return `${group === '' ? 'core' : (group.split('.')[0] ?? '')}.${kind}`
}

/** Kinds that all versions of several groups convert to one and the same. */
const sharedKinds: Readonly<Record<string, readonly string[]>> = { Scale: ['apps', 'autoscaling', 'extensions'] }

function isSameKind(kind: KindFacts, apiVersion: string, name: string): boolean {
  const [group = ''] = apiVersion.split('/')
  if (name !== kind.kind) return false
  return group === kind.apiVersion.split('/')[0] || (sharedKinds[name]?.includes(group) ?? false)
}

/** The reason why an object with this apiVersion and kind is not one of the kind; undefined if it is. */
export function mismatch(kind: KindFacts, said: TypeMeta): string | undefined {
  const apiVersion = said.apiVersion === '' ? kind.apiVersion : said.apiVersion
  const name = said.kind === '' ? kind.kind : said.kind
  if (apiVersion === kind.apiVersion && name === kind.kind) return undefined
  if (!isRegistered(kind.storage.group, apiVersion, name)) {
    return `no kind "${name}" is registered for version "${apiVersion}" in scheme "${scheme}"`
  }
  if (isSameKind(kind, apiVersion, name)) return undefined
  return `converting (${goTypeOf(apiVersion, name)}) to (${internalType(kind)}): unknown conversion`
}
