/** The order in which objects are imported: each after those on which it depends. */
import { type Manifest, nameOf, namespaceOf, ownersOf } from './manifest.ts'

/** Kinds that come before others, and after others. Definitions and namespaces come first of all. */
const early = [
  ['apiextensions.k8s.io/CustomResourceDefinition'],
  ['/Namespace'],
  [
    'scheduling.k8s.io/PriorityClass',
    'storage.k8s.io/StorageClass',
    'node.k8s.io/RuntimeClass',
    'networking.k8s.io/IngressClass',
  ],
  ['/ServiceAccount'],
  ['rbac.authorization.k8s.io/ClusterRole', 'rbac.authorization.k8s.io/Role'],
  ['rbac.authorization.k8s.io/ClusterRoleBinding', 'rbac.authorization.k8s.io/RoleBinding'],
  ['/Secret', '/ConfigMap', '/PersistentVolume', '/Node'],
  ['/PersistentVolumeClaim', '/Service'],
]
/** Webhooks, policies, limits and quotas would judge or change the rest of the import, and servers may not be there. The last come first. */
const late = ['apiregistration.k8s.io/', 'admissionregistration.k8s.io/', '/ResourceQuota', '/LimitRange', 'policy/']

const middle = early.length
const rankByKind = new Map(early.flatMap((kinds, rank) => kinds.map((kind): [string, number] => [kind, rank])))

/** Returns the group of an apiVersion. */
const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '')

/** Returns the rank of an object: all of a lower rank are imported before. */
export function rankOf({ apiVersion, kind }: Manifest): number {
  const text = `${groupOf(apiVersion)}/${kind}`
  const index = late.findIndex((group) => text.startsWith(group))
  return index >= 0 ? middle + 1 + late.length - index : (rankByKind.get(text) ?? middle)
}

/** Identifies an object among those of an import, whatever its version. */
export const identityOf = (apiVersion: string, kind: string, namespace: string, name: string): string =>
  JSON.stringify([groupOf(apiVersion), kind, namespace, name])

/** Returns the identities under which owners of an object may be known: in its namespace, or without one. */
export const ownerIdentities = (object: Manifest, owner: { apiVersion: string; kind: string; name: string }): string[] =>
  [...new Set([namespaceOf(object), ''])].map((namespace) => identityOf(owner.apiVersion, owner.kind, namespace, owner.name))

/** Returns the objects in waves: those of a wave can be imported side by side, after all of the waves before. */
export function wavesOf(objects: readonly Manifest[]): readonly (readonly Manifest[])[] {
  const own = new Map(
    objects.map((object) => [identityOf(object.apiVersion, object.kind, namespaceOf(object), nameOf(object)), object]),
  )
  const depths = new Map<Manifest, number>()
  const depthOf = (object: Manifest, path: ReadonlySet<Manifest>): number => {
    const known = depths.get(object)
    if (known !== undefined) return known
    // Objects that own each other in a circle keep the order of their kinds.
    if (path.has(object)) return 0
    const owners = ownersOf(object).flatMap((owner) => ownerIdentities(object, owner).flatMap((id) => own.get(id) ?? []))
    const inner = new Set([...path, object])
    const depth = Math.max(
      0,
      ...owners.map((owner) => Math.max(rankOf(owner) - rankOf(object), 0) * 100 + depthOf(owner, inner) + 1),
    )
    depths.set(object, depth)
    return depth
  }
  const waves = new Map<number, Manifest[]>()
  for (const object of objects) {
    const at = rankOf(object) * 100 + depthOf(object, new Set())
    waves.set(at, [...(waves.get(at) ?? []), object])
  }
  return [...waves].toSorted(([one], [other]) => one - other).map(([, wave]) => wave)
}
