/** Settles what the releases' sources and the Go types say about the lifecycle of each resource. */
import type { ResourceLifecycle } from '../../src/catalog/lifecycle.ts'
import type { Release } from '../../src/schema/tables.ts'
import type { ReleaseFacts, ReleaseResource } from './release-text.ts'

/** The oldest and the newest release in releases.txt. */
const FIRST = 15
const LAST = 36

/**
 * The releases that introduced resources if the facts do not say so, or wrongly. Types that were gone before there were facts
 * are older than the oldest release: of k8s.io/kubernetes 1.3 to 1.14, these are the first ones that have them.
 * CSIStorageCapacity was behind a gate that the OpenAPI document did not enable.
 */
const INTRODUCED: Readonly<Record<string, Release>> = {
  'auditregistration.k8s.io/v1alpha1/auditsinks': [1, 13],
  'authorization.k8s.io/v1/localsubjectaccessreviews': [1, 6],
  'authorization.k8s.io/v1/selfsubjectaccessreviews': [1, 6],
  'authorization.k8s.io/v1/selfsubjectrulesreviews': [1, 8],
  'batch/v2alpha1/cronjobs': [1, 5],
  'node.k8s.io/v1alpha1/runtimeclasses': [1, 14],
  'rbac.authorization.k8s.io/v1alpha1/clusterrolebindings': [1, 3],
  'rbac.authorization.k8s.io/v1alpha1/clusterroles': [1, 3],
  'rbac.authorization.k8s.io/v1alpha1/rolebindings': [1, 3],
  'rbac.authorization.k8s.io/v1alpha1/roles': [1, 3],
  'scheduling.k8s.io/v1alpha1/priorityclasses': [1, 8],
  'settings.k8s.io/v1alpha1/podpresets': [1, 6],
  'storage.k8s.io/v1alpha1/csistoragecapacities': [1, 19],
}

const isBefore = ([a, b]: Release, [c, d]: Release): boolean => a < c || (a === c && b < d)

/** Returns the first and the last minor release of spans: `1.15-1.17,1.30`. */
function bounds(spans: string): readonly [first: number, last: number] {
  const minors = spans.split(/[-,]/).map((release) => Number(release.split('.')[1]))
  return [Math.min(...minors), Math.max(...minors)]
}

function introduced({ group, version, resource, releases, lifecycle }: ReleaseResource): Release {
  const key = `${group}/${version}/${resource}`
  const [first] = bounds(releases)
  const found = INTRODUCED[key] ?? (first > FIRST ? ([1, first] as const) : lifecycle?.introduced)
  if (found === undefined) throw new Error(`nothing says when ${key} was introduced`)
  return found
}

/** A version may be off by default before its code is removed: the facts of the type come first. */
function removed({ releases, lifecycle }: ReleaseResource): Release | undefined {
  const [, last] = bounds(releases)
  const gone: Release | undefined = last < LAST ? [1, last + 1] : undefined
  const planned = lifecycle?.removed
  return planned !== undefined && (gone === undefined || isBefore(planned, gone)) ? planned : gone
}

type Replacement = NonNullable<ResourceLifecycle['replacement']>

/** How stable a version is: 2 for v1, 1 for v1beta1, 0 for v1alpha1. */
const stability = (version: string): number => (version.includes('alpha') ? 0 : version.includes('beta') ? 1 : 2)

/** Types without a fact are replaced by the most stable later version of the same resource in their group. */
function replacement(row: ReleaseResource, rows: readonly ReleaseResource[]): Replacement | undefined {
  const found = row.lifecycle?.replacement
  // The fact of networking.k8s.io/v1beta1 IngressClass names the kind of the list.
  if (found !== undefined) return { ...found, kind: found.kind.replace(/List$/, '') }
  const later = rows
    .filter(({ group, resource, version }) => group === row.group && resource === row.resource && version !== row.version)
    .filter(({ version }) => stability(version) >= stability(row.version))
    .filter(({ releases }) => bounds(releases)[1] > bounds(row.releases)[1] || bounds(releases)[0] > bounds(row.releases)[0])
    .sort((a, b) => stability(b.version) - stability(a.version) || bounds(b.releases)[1] - bounds(a.releases)[1])
  const best = later[0]
  return best === undefined ? undefined : { group: best.group, version: best.version, kind: best.kind }
}

function lifecycle(row: ReleaseResource, rows: readonly ReleaseResource[]): ResourceLifecycle {
  const { group, version, resource, kind, namespaced } = row
  const [removal, next] = [removed(row), replacement(row, rows)]
  const planned = row.lifecycle?.deprecated
  const deprecated = planned !== undefined && removal !== undefined && !isBefore(planned, removal) ? undefined : planned
  return {
    ...{ group, version, resource, kind, namespaced, introduced: introduced(row) },
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(removal === undefined ? {} : { removed: removal }),
    ...(next !== undefined && (removal !== undefined || deprecated !== undefined) ? { replacement: next } : {}),
    onByDefault: row.onByDefault !== '',
  }
}

/** Returns the lifecycle of each resource in each version, sorted by group, version and resource. */
export function lifecycleRows({ resources }: ReleaseFacts): ResourceLifecycle[] {
  return resources.map((row) => lifecycle(row, resources))
}

/** The priorities of a version: each with the first minor release that has them, and those of its group and of itself. */
export type PriorityRow = readonly [from: number, group: number, version: number]

/** Returns the priorities of group versions by `<group>/<version>`, each change in the order of releases. */
export function priorityTable({ priorities }: ReleaseFacts): Map<string, PriorityRow[]> {
  const rows = Object.entries(priorities).map(([name, values]): [string, PriorityRow[]] => [
    name,
    Object.entries(values)
      .map(([text, spans]): PriorityRow => {
        const [group = 0, version = 0] = text.split(' ').map(Number)
        return [bounds(spans)[0], group, version]
      })
      .sort(([a], [b]) => a - b),
  ])
  return new Map(rows)
}
