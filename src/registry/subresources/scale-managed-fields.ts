/**
 * Who owns the replicas, told of the object in the terms of its Scale and back.
 * Follows ScaleHandler of k8s.io/apimachinery/pkg/util/managedfields.
 */
import { lastByManager, managerIdentifier, sortManagedFields } from '../../apply/managed-fields.ts'
import { difference, has, isEmpty, paths, storedPathSet } from '../../apply/path-set.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { ManagedFieldsEntry } from '../../meta/object-meta.ts'

/** Where objects of built-in kinds have their replicas, and Scales. */
const replicasOfScale = ['spec', 'replicas']
const replicas = paths([replicasOfScale])

const ownsReplicas = (entry: ManagedFieldsEntry, path: readonly string[]): boolean =>
  has(
    storedPathSet(entry.fieldsV1),
    path.map((field) => `f:${field}`),
  )

/** Whether the entry is of some version of the kind's group: others are forgotten. */
const isOf = (kind: Kind, { apiVersion = '' }: ManagedFieldsEntry): boolean =>
  (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '') === kind.group

/** The entries of a Scale: those of the object that own its replicas. `path` is where the object has them. */
export function managedFieldsOfScale(
  entries: readonly ManagedFieldsEntry[],
  kind: Kind,
  scaleKind: Kind,
  path: readonly string[] = replicasOfScale,
): ManagedFieldsEntry[] {
  const owners = lastByManager(entries).filter((entry) => isOf(kind, entry) && ownsReplicas(entry, path))
  return sortManagedFields(owners.map((entry) => ({ ...entry, apiVersion: scaleKind.apiVersion, fieldsV1: replicas })))
}

/** The entry without the replicas; none where that was all. */
function withoutReplicas(entry: ManagedFieldsEntry, path: readonly string[]): ManagedFieldsEntry[] {
  const rest = difference(storedPathSet(entry.fieldsV1), paths([path]))
  return isEmpty(rest) ? [] : [{ ...entry, fieldsV1: rest }]
}

/**
 * The entries of the object after a write to its Scale, which has left these entries.
 * An owner that is an applier keeps its entry. One that made updates is known under the version of the Scale from now on
 * and gets an entry of its own, without a time: so kube-apiserver does it.
 */
export function managedFieldsOfParent(
  entries: readonly ManagedFieldsEntry[],
  ofScale: readonly ManagedFieldsEntry[],
  kind: Kind,
  scaleKind: Kind,
  path: readonly string[] = replicasOfScale,
): ManagedFieldsEntry[] {
  const left = new Map(ofScale.map((entry) => [managerIdentifier(entry), entry]))
  const after: ManagedFieldsEntry[] = []
  for (const entry of lastByManager(entries).filter((candidate) => isOf(kind, candidate))) {
    if (!ownsReplicas(entry, path)) after.push(entry)
    else if (left.delete(managerIdentifier(entry))) after.push(entry)
    else after.push(...withoutReplicas(entry, path))
  }
  for (const entry of left.values()) {
    if (!ownsReplicas(entry, replicasOfScale) || entry.apiVersion !== scaleKind.apiVersion) continue
    const { time: _time, ...untimed } = entry
    after.push({ ...untimed, apiVersion: kind.apiVersion, fieldsV1: paths([path]) })
  }
  return sortManagedFields(after)
}
