import { describe, expect, test } from 'vitest'
import { guide } from '../../test/migration-guide.ts'
import type { Release } from '../schema/tables.ts'
import { lifecycles } from './generated/lifecycle.ts'
import { prioritiesOf } from './group-priorities.ts'
import { apiVersionOf } from './kind.ts'
import { compareReleases, isDeprecatedIn, isIn, newestRelease, oldestRelease, type ResourceLifecycle } from './lifecycle.ts'
import { kindOf } from './scheme.ts'

const textOf = ({ group, version, resource }: ResourceLifecycle): string => `${apiVersionOf(group, version)} ${resource}`
const minors = Array.from({ length: newestRelease[1] - oldestRelease[1] + 1 }, (_, index) => oldestRelease[1] + index)
const rowsOf = (apiVersion: string, resource: string): ResourceLifecycle[] =>
  lifecycles.filter((row) => apiVersionOf(row.group, row.version) === apiVersion && row.resource === resource)

/** 2 for v1, 1 for v1beta1, 0 for v1alpha1. */
const stability = (version: string): number => (version.includes('alpha') ? 0 : version.includes('beta') ? 1 : 2)

describe('the table agrees with the migration guide', () => {
  test.each(guide)('$name, removed in 1.$removed', ({ removed, versions, resources, instead }) => {
    for (const resource of resources) {
      for (const version of versions) {
        const [row] = rowsOf(version, resource)
        expect(row?.removed, `${version} ${resource}`).toEqual([1, removed])
        expect(row !== undefined && isDeprecatedIn(row, [1, removed - 1])).toBe(true)
      }
      if (instead === undefined) continue
      const [version, since] = instead
      const [successor] = rowsOf(version, resource)
      // The guide names later releases for some versions that were there before.
      expect(successor !== undefined && compareReleases(successor.introduced, [1, since]) <= 0, `${version} ${resource}`).toBe(
        true,
      )
    }
  })
})

test('rule 1: what is removed from a stable or beta version exists in another version', () => {
  const removed = lifecycles.filter((row) => row.removed !== undefined && stability(row.version) > 0)
  const without = removed.filter(({ replacement, removed: at = newestRelease, group, version }) => {
    if (replacement === undefined) return compareReleases(at, newestRelease) <= 0
    const successors = lifecycles.filter(
      (row) => row.group === replacement.group && row.version === replacement.version && row.kind === replacement.kind,
    )
    const isElsewhere = apiVersionOf(replacement.group, replacement.version) !== apiVersionOf(group, version)
    return !isElsewhere || !successors.some((row) => compareReleases(row.introduced, at) <= 0)
  })
  // The admission plugin was removed with its kind.
  expect(without.map(textOf)).toEqual(['policy/v1beta1 podsecuritypolicies'])
})

test('rule 2: all versions of a resource in one release are versions of the same stored objects', () => {
  for (const minor of minors) {
    const served = lifecycles.filter((row) => isIn(row, [1, minor]) && row.onByDefault)
    const groups = Map.groupBy(served, ({ group, resource }) => `${resource}.${group}`)
    for (const [name, rows] of groups) {
      const places = rows.map(({ group, version, resource }) => JSON.stringify(kindOf(group, version, resource)?.storage))
      expect(new Set(places).size, `${name} in 1.${minor}`).toBe(1)
      expect(places[0], name).toBeDefined()
    }
  }
})

test('rule 3: no version is replaced by a less stable one', () => {
  const replaced = lifecycles.filter(({ version, replacement }) => stability(replacement?.version ?? 'v1') < stability(version))
  expect(replaced.map(textOf)).toEqual([])
})

test('rule 4a: stable versions stay; beta versions stay for three releases after they were deprecated', () => {
  expect(lifecycles.filter(({ version, removed }) => stability(version) === 2 && removed !== undefined).map(textOf)).toEqual([])
  const early = lifecycles.filter(
    ({ version, deprecated, removed }) =>
      stability(version) === 1 && deprecated !== undefined && removed !== undefined && removed[1] - deprecated[1] < 3,
  )
  expect(early.map(textOf)).toEqual([])
})

/** Returns the preferred version of a group in a release. */
function preferred(group: string, release: Release): string | undefined {
  const served = lifecycles.filter((row) => row.group === group && row.onByDefault && isIn(row, release))
  const byPriority = (a: ResourceLifecycle, b: ResourceLifecycle): number =>
    prioritiesOf(group, b.version, release).version - prioritiesOf(group, a.version, release).version
  return served.sort(byPriority)[0]?.version
}

test('rule 4b: a release that prefers another version than the one before still serves the version that was preferred', () => {
  // Kubernetes prefers new versions at once. Objects stay in one storage version, so that a cluster can go back.
  const groups = new Set(lifecycles.map(({ group }) => group))
  const changes = [...groups].flatMap((group) =>
    minors.slice(1).flatMap((minor) => {
      const [before, now] = [preferred(group, [1, minor - 1]), preferred(group, [1, minor])]
      return before === undefined || now === undefined || before === now ? [] : [{ group, before, now, minor }]
    }),
  )
  expect(changes).toContainEqual({ group: 'autoscaling', before: 'v1', now: 'v2', minor: 23 })
  const broken = changes.filter(
    ({ group, before, minor }) =>
      !lifecycles.some((row) => row.group === group && row.version === before && row.onByDefault && isIn(row, [1, minor])),
  )
  expect(broken).toEqual([])
})
