import { expect, test } from 'vitest'
import type { JsonObject } from '../go/json-value.ts'
import { collectorBetween } from './between.ts'
import type { ReportCollector } from './collect.ts'
import type { MigrationReport } from './report.ts'
import { type ClusterReader, scanCluster } from './scan.ts'
import { usesOfObject } from './uses.ts'

const ingress = { apiVersion: 'extensions/v1beta1', kind: 'Ingress' }

/** Checks a cluster that has these objects of one custom resource. @param mostInPage larger pages are too long */
async function check(items: readonly object[], mostInPage = Number.POSITIVE_INFINITY) {
  const asked: number[] = []
  const documents: Readonly<Record<string, unknown>> = {
    '/api/v1': { resources: [] },
    '/apis': {
      groups: [{ name: 'example.com', versions: [{ version: 'v1' }], preferredVersion: { version: 'v1' } }],
    },
    '/apis/example.com/v1': { resources: [{ name: 'lamps', kind: 'Lamp', verbs: ['list'] }] },
  }
  const reader: ClusterReader = {
    width: 1,
    async get(path) {
      const { pathname, searchParams } = new URL(path, 'https://server')
      const document = documents[pathname]
      if (document !== undefined) return { status: 200, text: JSON.stringify(document) }
      const [limit, from] = [Number(searchParams.get('limit')), Number(searchParams.get('continue') ?? 0)]
      asked.push(limit)
      if (limit > mostInPage) return 'too long'
      const rest = items.length > from + limit ? { continue: String(from + limit) } : {}
      return { status: 200, text: JSON.stringify({ metadata: rest, items: items.slice(from, from + limit) }) }
    },
  }
  const collector: ReportCollector = collectorBetween('1.21', '1.22')
  await scanCluster(reader, collector)
  const report: MigrationReport = collector.report()
  return { report, asked }
}

const lamp = (name: string, fields: object): object => ({ metadata: { name }, ...fields })

test('a page that is too long is read in smaller ones', async () => {
  const items = Array.from({ length: 10 }, (_, index) => lamp(`lamp-${index}`, { spec: { for: ingress } }))
  const { report, asked } = await check(items, 8)
  expect(report.objects.map(({ name }) => name)).toEqual(items.map((_, index) => `lamp-${index}`))
  expect(report.unread).toEqual([])
  expect(asked).toEqual([500, 125, 32, 8, 8])
})

test('a resource with an object that is too long is named', async () => {
  const { report } = await check([lamp('a', {})], 0)
  expect(report.unread).toEqual([{ what: 'lamps.example.com', why: 'too long' }])
})

test('references at a place with a long name do not multiply it', async () => {
  const many = Array.from({ length: 20_000 }, () => ingress)
  const { report } = await check([lamp('a', { ['x'.repeat(1_000_000)]: many }), lamp('b', { spec: { for: ingress } })])
  expect(report.objects.map(({ name }) => name)).toEqual(['b'])
  expect(JSON.stringify(report).length).toBeLessThan(10_000)
})

test('an object has a bounded number of references in the report', async () => {
  const { report } = await check([lamp('a', { spec: Array.from({ length: 20_000 }, () => ingress) })])
  expect(report.objects[0]?.uses).toHaveLength(1000)
})

test('an annotation that nests deep, and numbers that JavaScript does not have, do not end the check or change', async () => {
  const applied = (manifest: string): object => ({ 'kubectl.kubernetes.io/last-applied-configuration': manifest })
  const head = '"apiVersion":"networking.k8s.io/v1beta1","kind":"Ingress","metadata":{"name":"a"}'
  const deep = { metadata: { name: 'deep', annotations: applied(`{${head},"spec":${'['.repeat(50_000)}${']'.repeat(50_000)}}`) } }
  const large = { metadata: { name: 'large', annotations: applied(`{${head},"status":9007199254740993}`) } }
  const { report } = await check([deep, large])
  expect(report.objects.map(({ name }) => name)).toEqual(['large'])
  expect(JSON.stringify(report.objects)).toContain('9007199254740993')
})

test('a role with more rules than can be compared is named, and does not hold up the check', async () => {
  const rule = { apiGroups: ['extensions'], resources: ['*'], verbs: ['get'] }
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'a' } }
  const { removals } = collectorBetween('1.15', '1.36')
  const usesOf = (rules: readonly JsonObject[]): unknown[] => usesOfObject({ ...role, rules: [...rules] }, removals)
  expect(usesOf([rule]).length).toBeGreaterThan(3)
  expect(usesOf(Array.from({ length: 500 }, () => rule))).toHaveLength(1000)
  expect(() => usesOf(Array.from({ length: 501 }, () => rule))).toThrow('it has more than 500 rules')
  expect(() => usesOf([{ ...rule, verbs: ['x'.repeat(20_000)] }])).toThrow('it has a rule that is too long')
})

test('unread objects are bounded in number', () => {
  const collector = collectorBetween('1.21', '1.22')
  for (let index = 0; index < 3000; index++) collector.addUnread(`lamp-${index}`, 'x'.repeat(10_000))
  const { unread } = collector.report()
  expect(unread).toHaveLength(1001)
  expect(unread.at(-1)).toEqual({ what: 'others', why: 'more than 1000 could not be read' })
  expect(JSON.stringify(unread).length).toBeLessThan(1_000_000)
})
