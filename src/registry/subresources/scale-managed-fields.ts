/**
 * Converts the managedFields of an object to those of its Scale and back.
 * Follows ScaleHandler of k8s.io/apimachinery/pkg/util/managedfields.
 */
import { entryOf, lastByManager, managerIdentifier, sortManagedFields } from '../../apply/managed-fields.ts'
import { difference, has, isEmpty, paths, storedPathSet } from '../../apply/path-set.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { ManagedFieldsEntry } from '../../meta/object-meta.ts'

/** The path of the replicas in Scales and in objects of built-in kinds. */
const replicasOfScale = ['spec', 'replicas']
const replicas = paths([replicasOfScale])

const ownsReplicas = (entry: ManagedFieldsEntry, path: readonly string[]): boolean =>
  has(
    storedPathSet(entry.fieldsV1),
    path.map((field) => `f:${field}`),
  )

/** Whether the entry owns the replicas of an object: in a version without the subresource, no entry of a custom resource does. */
function ownsReplicasOf({ definition }: Kind, entry: ManagedFieldsEntry, path: readonly string[]): boolean {
  const { apiVersion = '' } = entry
  const hasScale = definition?.versions.some(
    (each) => each.subresources.includes('scale') && apiVersion.endsWith(`/${each.name}`),
  )
  return hasScale !== false && ownsReplicas(entry, path)
}

/** Whether the apiVersion of the entry is in the kind's group. Other entries are dropped. */
const isOf = (kind: Kind, { apiVersion = '' }: ManagedFieldsEntry): boolean =>
  (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '') === kind.group

/** Returns the entry of a Scale. Its keys are in Go's order, which those of a custom resource are not. */
function ownerOfScale(
  { manager = '', operation, time = '', subresource = '' }: ManagedFieldsEntry,
  { apiVersion }: Kind,
): ManagedFieldsEntry {
  const info = { manager, operation: operation === 'Apply' ? operation : 'Update', apiVersion, subresource } as const
  return entryOf(info, time, replicas)
}

/**
 * Returns the managedFields of a Scale: the entries of the object that own its replicas.
 * @param path the path of the replicas in the object
 */
export function managedFieldsOfScale(
  entries: readonly ManagedFieldsEntry[],
  kind: Kind,
  scaleKind: Kind,
  path: readonly string[] = replicasOfScale,
): ManagedFieldsEntry[] {
  const owners = lastByManager(entries).filter((entry) => isOf(kind, entry) && ownsReplicasOf(kind, entry, path))
  return sortManagedFields(owners.map((entry) => ownerOfScale(entry, scaleKind)))
}

/** Returns the entry without the replicas; an empty array if it owned nothing else. */
function withoutReplicas(entry: ManagedFieldsEntry, path: readonly string[]): ManagedFieldsEntry[] {
  const rest = difference(storedPathSet(entry.fieldsV1), paths([path]))
  return isEmpty(rest) ? [] : [{ ...entry, fieldsV1: rest }]
}

/**
 * Returns the managedFields of the object after a write to its Scale. As in kube-apiserver, an owner with an Apply entry keeps
 * it. An owner with an Update entry is identified by the Scale's apiVersion from then on, so it gets a separate entry for the
 * replicas, without a time.
 * @param entries the managedFields of the object before the write
 * @param ofScale the managedFields of the Scale after the write
 * @param path the path of the replicas in the object
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
    if (!ownsReplicasOf(kind, entry, path)) after.push(entry)
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
