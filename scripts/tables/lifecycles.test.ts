import { expect, test } from 'vitest'
import { isIn } from '../../src/catalog/lifecycle.ts'
import { readTexts } from '../tables.mjs'
import { lifecycleRows } from './lifecycles.ts'
import { readReleases } from './release-text.ts'
import { RELEASES, readServed, readVersions, textOf } from './render-all.ts'
import { tableName } from './type-references.ts'

const texts = readTexts()
const rows = lifecycleRows(readReleases(RELEASES, textOf(texts, RELEASES)))

test('the emulated release serves by default exactly the resources that kube-apiserver was recorded with', () => {
  const served = readServed(texts)
  const expected = readVersions(texts)
    .filter(({ table }) => served.includes(tableName(table)))
    .flatMap(({ table: { group, version, resources } }) => resources.map(({ resource }) => `${group}/${version}/${resource}`))
  const found = rows.filter((row) => row.onByDefault && isIn(row, [1, 36]))
  expect(found.map(({ group, version, resource }) => `${group}/${version}/${resource}`)).toEqual(expected.sort())
})

test('the lifecycles agree with those of the types that the emulated release still has', () => {
  const row = rows.find(
    ({ group, version, resource }) => `${group}/${version}/${resource}` === 'flowcontrol.apiserver.k8s.io/v1beta3/flowschemas',
  )
  expect(row).toEqual({
    ...{
      group: 'flowcontrol.apiserver.k8s.io',
      version: 'v1beta3',
      resource: 'flowschemas',
      kind: 'FlowSchema',
      namespaced: false,
    },
    ...{ introduced: [1, 26], deprecated: [1, 29], removed: [1, 32], onByDefault: true },
    replacement: { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'FlowSchema' },
  })
})
