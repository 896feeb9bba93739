/** The extension `x-kubernetes-group-version-kind` of schemas. */
import { registered } from '../../catalog/generated/registered.ts'
import type { JsonObject } from '../../go/json-value.ts'
import type { VersionTable } from '../../schema/tables.ts'
import { groupVersionText } from '../discovery/served-version.ts'
import type { GroupVersionKind } from './model.ts'

/** Kinds of the meta package that belong only to the core group. */
const unversioned = new Set(['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status'])
/** Kinds of the meta package that are registered in every group version. */
const everywhere = new Set(['DeleteOptions', 'WatchEvent'])
/** Groups whose versions are registered only for encoding. */
const internal = new Set(['apidiscovery.k8s.io', 'meta.k8s.io'])
/** Group versions that are registered although no table has their types. */
const reviews = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']

/** Groups that are not registered in the apiextensions-apiserver, which makes the documents of custom resources. */
const beside = new Set(['admission.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'imagepolicy.k8s.io'])

interface GroupVersion {
  readonly group: string
  readonly version: string
}

function parseGroupVersion(text: string): GroupVersion {
  const slash = text.indexOf('/')
  return { group: text.slice(0, Math.max(slash, 0)), version: text.slice(slash + 1) }
}

/** Returns all group versions of the release, served or not, in order. */
export function registeredVersions(): GroupVersion[] {
  return [...new Set([...Object.keys(registered), ...reviews])]
    .map(parseGroupVersion)
    .filter(({ group }) => !internal.has(group))
    .sort((a, b) => (a.group === b.group ? (a.version < b.version ? -1 : 1) : a.group < b.group ? -1 : 1))
}

/** Returns the group versions that are registered in the apiextensions-apiserver, in order. */
export const versionsBesideCustom = (): GroupVersion[] => registeredVersions().filter(({ group }) => !beside.has(group))

/**
 * Returns the extension of a named type's schema, or an empty object if the type is not a kind.
 * @param versions the group versions of the document: DeleteOptions and WatchEvent are kinds of each of them. The keys of each
 *   entry are sorted.
 */
export function kindExtension(
  reference: string,
  tables: ReadonlyMap<string, VersionTable>,
  versions: readonly GroupVersion[],
): JsonObject {
  const kinds = kindsOf(reference, tables, versions)
  if (kinds.length === 0) return {}
  return { 'x-kubernetes-group-version-kind': kinds.map(({ group, kind, version }) => ({ group, kind, version })) }
}

function kindsOf(
  reference: string,
  tables: ReadonlyMap<string, VersionTable>,
  versions: readonly GroupVersion[],
): GroupVersionKind[] {
  const dot = reference.lastIndexOf('.')
  const [path, kind] = [reference.slice(0, dot), reference.slice(dot + 1)]
  if (path === 'meta/v1') {
    if (everywhere.has(kind)) return versions.map((version) => ({ ...version, kind }))
    return unversioned.has(kind) ? [{ group: '', version: 'v1', kind }] : []
  }
  const table = tables.get(path)
  if (table === undefined) return []
  const { group, version } = table
  return registered[groupVersionText(table)]?.split(' ').includes(kind) ? [{ group, version, kind }] : []
}
