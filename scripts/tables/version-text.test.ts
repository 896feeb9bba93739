import { describe, expect, test } from 'vitest'
import { readTexts } from '../tables.mjs'
import { readInternal, writeInternal } from './internal-text.ts'
import { readReleases, writeReleases } from './release-text.ts'
import { INTERNAL, RELEASES, readVersions, renderAll, textOf } from './render-all.ts'
import { readVersion, textFile, writeVersion } from './version-text.ts'

const texts = readTexts()
const sample = `group "storage.k8s.io"

resource widgets Widget cluster short=wd introduced=1.5 replacement=apps/v1.Widget
  status Widget get,patch,update

columns widgets
  "Nominated Node" integer priority=1 core/v1.PodStatus.nominatedNodeName

Mode = string "" "read only"

Widget
  ports []*WidgetPort 2.1 ?~ default="any text" list=map(port,protocol) patch=merge(port)
`
const read = (text: string) => readVersion('storage.v1.txt', text)

test('the texts of all tables read as they are written', () => {
  for (const version of readVersions(texts)) {
    const file = textFile(version.table)
    expect(writeVersion(version), file).toBe(texts.get(file))
  }
  expect(writeInternal(readInternal(INTERNAL, textOf(texts, INTERNAL)))).toBe(texts.get(INTERNAL))
  expect(writeReleases(readReleases(RELEASES, textOf(texts, RELEASES)))).toBe(texts.get(RELEASES))
})

test('a text describes resources, columns and types', () => {
  const { table, columns } = read(sample)
  expect(table.resources).toEqual([
    {
      ...{ resource: 'widgets', singular: 'widget', kind: 'Widget', namespaced: false, shortNames: ['wd'] },
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      subresources: [{ name: 'status', kind: { kind: 'Widget' }, verbs: ['get', 'patch', 'update'] }],
      lifecycle: { introduced: [1, 5], replacement: { group: 'apps', version: 'v1', kind: 'Widget' } },
    },
  ])
  expect(columns.get('widgets')).toEqual([['Nominated Node', ['core/v1.PodStatus', 'nominatedNodeName'], 'integer', '', 1]])
  expect(table.types).toEqual({
    Mode: { alias: 'string', enum: ['', 'read only'] },
    Widget: {
      fields: {
        ports: {
          ...{ type: '[]*storage/v1.WidgetPort', protobuf: 1, protobufPath: [2], omitempty: true, omitzero: true },
          ...{ default: 'any text', listType: 'map', listMapKeys: ['port', 'protocol'] },
          ...{ patchStrategy: 'merge', patchMergeKey: 'port' },
        },
      },
    },
  })
})

describe('an error names the file and the line', () => {
  const places: readonly (readonly [string, string])[] = [
    ['group "a"\nPod\n  name\n', 'storage.v1.txt:3: no type'],
    ['Pod\n  name string !\n  name string ?\n', 'storage.v1.txt:3: a second field name'],
    ['Pod\n  name string lst=set\n', 'storage.v1.txt:2: unknown word lst=set'],
    ['Pod\n  name []string list=bag\n', 'storage.v1.txt:2: bag is not one of atomic, set, map'],
    ['Pod\n  name string default=x\n', 'storage.v1.txt:2: no JSON: x'],
    ['\nresource pods Pod everywhere\n', 'storage.v1.txt:2: everywhere is not one of namespaced, cluster'],
    ['resource pods Pod cluster removed=soon\n', 'storage.v1.txt:1: no release: soon'],
    ['resources pods\n', 'storage.v1.txt:1: unknown word resources'],
    ['  name string\n', 'storage.v1.txt:1: an indented line without a line above it'],
  ]
  test.each(places)('%j', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})

test('a table cannot share types of a version without a text', () => {
  const broken = new Map(texts).set('apps.v1beta1.txt', 'group "apps"\nshared apps/v9 Deployment\n')
  expect(() => renderAll(broken)).toThrow('apps/v9')
})
