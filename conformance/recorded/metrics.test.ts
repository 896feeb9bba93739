/** The metric families of this server and those of kube-apiserver, which `npm run lab record metrics` has recorded. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RecordedFamily } from '../../lab/record/metrics/families.ts'
import type { MetricDefinition } from '../../src/meta/metrics/definition.ts'
import { metricDefinitions } from '../../src/meta/metrics/definitions/all.ts'
import { readLines } from '../lines.ts'

const recorded = readLines<RecordedFamily>(resolve(import.meta.dirname, 'metrics.jsonl'))
const definitions: Readonly<Record<string, MetricDefinition>> = metricDefinitions

/** Returns the patterns in the first column of the table of families that are left out. */
function leftOut(): RegExp[] {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/metrics.md'), 'utf8')
  const rows = page.slice(page.indexOf('## Left out')).match(/^\| `.*?\|/gm) ?? []
  const names = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
  return names.map((name) => new RegExp(`^${name.replaceAll('*', '\\w*')}$`))
}

const patterns = leftOut()
const isLeftOut = (name: string): boolean => patterns.some((pattern) => pattern.test(name))

describe('a family of kube-apiserver', () => {
  test('is served, or left out for a reason that docs/metrics.md gives', () => {
    expect(recorded.filter(({ name }) => definitions[name] === undefined && !isLeftOut(name))).toEqual([])
  })

  test('is not both served and left out', () => {
    expect(Object.keys(definitions).filter(isLeftOut)).toEqual([])
  })

  const served = recorded.filter(({ name }) => definitions[name] !== undefined)
  test.each(served.map((family) => [family.name, family] as const))('%s has the same facts', (name, family) => {
    const { type, help, labels, buckets } = definitions[name] as MetricDefinition
    expect({ name, type, help, labels: [...labels].sort(), ...(buckets !== undefined && { buckets }) }).toEqual({
      name,
      type: family.type,
      help: family.help,
      labels: family.labels,
      ...(family.buckets !== undefined && { buckets: family.buckets }),
    })
  })
})

test('every family that is served is one of kube-apiserver', () => {
  const names = new Set(recorded.map(({ name }) => name))
  expect(Object.keys(definitions).filter((name) => !names.has(name))).toEqual([])
})

test('every entry of the table names a family of kube-apiserver', () => {
  expect(patterns.filter((pattern) => !recorded.some(({ name }) => pattern.test(name)))).toEqual([])
})
