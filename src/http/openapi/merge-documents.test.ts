import { describe, expect, test } from 'vitest'
import { served, typeTables } from '../../catalog/generated/served.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { partsOf } from './document-paths.ts'
import { mergeDocuments, type OwnNames } from './merge-documents.ts'
import { readOtherDocument } from './other-document.ts'
import { document2 } from './version2.ts'
import { WholeDocument } from './whole-document.ts'

const part = 'apis/metrics.example.com/v1'
const path = `/${part}/nodes`

const answering = (definition: string): JsonObject => ({
  get: { responses: { '200': { description: 'OK', schema: { $ref: `#/definitions/${definition}` } } } },
})

function other(document: JsonObject, of = part) {
  const found = readOtherDocument(JSON.stringify(document), of)
  if (found === undefined) throw new Error('nothing is left')
  return { ...found, tag: 'A' }
}

const own: OwnNames = { paths: new Set(['/api/']), definitions: new Map(), parameters: new Map() }
const kinds = (...groups: readonly string[]) => groups.map((group) => ({ group, kind: 'Status', version: 'v1' }))

describe('a document of another server', () => {
  test('is reduced to the paths of its group version, and to their definitions', () => {
    const { text } = other({
      swagger: '2.0',
      paths: { [path]: answering('A'), '/api/v1/pods': answering('Pod'), '/apis/metrics.example.com/v10/x': answering('Pod') },
      definitions: { A: { properties: { b: { $ref: '#/definitions/B' } } }, B: { type: 'object' }, Pod: {}, Unused: {} },
    })
    const { paths, definitions } = JSON.parse(text)
    expect(Object.keys(paths)).toEqual([path])
    expect(Object.keys(definitions)).toEqual(['A', 'B', 'Unused'])
  })

  test('loses keys and values that no document of an API has', () => {
    const { text } = other({
      paths: { [path]: { get: { description: 7, tags: ['a', 7], evil: true, 'x-kubernetes-action': 'list' } } },
      definitions: { A: { type: 'object', properties: { $ref: { type: 'string' } } } },
    })
    expect(JSON.parse(text).paths[path]).toEqual({ get: { tags: ['a'], 'x-kubernetes-action': 'list' } })
    expect(JSON.parse(text).definitions).toEqual({ A: { type: 'object', properties: { $ref: { type: 'string' } } } })
  })

  test.each(['[]', '{}', '{"paths":{"/api/v1/pods":{}}}', '{"paths":7}'])(
    'that says nothing about the group is left out: %s',
    (text) => {
      expect(readOtherDocument(text, part)).toBeUndefined()
    },
  )
})

describe('merging', () => {
  test('a different definition of the same name becomes _v2, with all its references', () => {
    const document = other({
      paths: { [path]: answering('A') },
      definitions: { A: { type: 'object', properties: { self: { $ref: '#/definitions/A' } } } },
    })
    const { paths, definitions } = mergeDocuments({ ...own, definitions: new Map([['A', { type: 'string' }]]) }, [document])
    expect(paths.get(part)).toEqual({ [path]: answering('A_v2') })
    expect([...definitions]).toEqual([['A_v2', { type: 'object', properties: { self: { $ref: '#/definitions/A_v2' } } }]])
  })

  test('equal definitions are one, with the kinds of both in order', () => {
    const definitions = { S: { type: 'object', 'x-kubernetes-group-version-kind': kinds('metrics.example.com', 'b') } }
    const mine = { type: 'object', 'x-kubernetes-group-version-kind': kinds('', 'b') }
    const merged = mergeDocuments({ ...own, definitions: new Map([['S', mine]]) }, [
      other({ paths: { [path]: answering('S') }, definitions }),
    ])
    const all = kinds('', 'b', 'metrics.example.com')
    expect([...merged.definitions]).toEqual([['S', { ...mine, 'x-kubernetes-group-version-kind': all }]])
    expect(merged.paths.get(part)).toEqual({ [path]: answering('S') })
  })

  test('a third server shares the renamed definition of the second', () => {
    const definitions = { A: { type: 'integer' } }
    const second = other({ paths: { [path]: answering('A') }, definitions })
    const third = other({ paths: { '/apis/b.example.com/v1/x': answering('A') }, definitions }, 'apis/b.example.com/v1')
    const merged = mergeDocuments({ ...own, definitions: new Map([['A', { type: 'string' }]]) }, [second, third])
    expect([...merged.definitions.keys()]).toEqual(['A_v2'])
    expect(merged.paths.get('apis/b.example.com/v1')).toEqual({ '/apis/b.example.com/v1/x': answering('A_v2') })
  })

  test('a path of this server wins, and brings no definitions', () => {
    const document = other({ paths: { [path]: answering('A') }, definitions: { A: {} } })
    const merged = mergeDocuments({ ...own, paths: new Set([path]) }, [document])
    expect([merged.paths.size, merged.definitions.size]).toEqual([0, 0])
  })

  test('different parameters of the same name: the other one is renamed', () => {
    const parameter = { in: 'query', name: 'limit', type: 'integer' }
    const document = other({
      paths: { [path]: { parameters: [{ $ref: '#/parameters/limit' }] } },
      parameters: { limit: parameter },
    })
    const mine = { ...parameter, description: 'mine' }
    const merged = mergeDocuments({ ...own, parameters: new Map([['limit', mine]]) }, [document])
    expect([...merged.parameters]).toEqual([['limit_v2', parameter]])
    expect(merged.paths.get(part)).toEqual({ [path]: { parameters: [{ $ref: '#/parameters/limit_v2' }] } })
  })
})

test('the merged /openapi/v2 is in order, in JSON and in protobuf', async () => {
  const parts = [...partsOf(typeTables, served).values()]
  const status = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status'
  const alone = await document2(parts, typeTables)
  const definitions = { ...(alone.definitions as JsonObject), 'com.example.Node': { type: 'object' } }
  const document = other({
    paths: { [path]: answering('com.example.Node'), [`${path}/{name}`]: answering(status) },
    definitions,
  })
  const merged = await document2(parts, typeTables, [document])
  const names = Object.keys(merged.paths as JsonObject)
  expect(names).toEqual([...names].sort())
  expect(names).toEqual(expect.arrayContaining([path, '/api/v1/pods']))
  expect(Object.keys(merged.definitions as JsonObject)).toEqual(Object.keys(definitions).sort())
  expect((merged.definitions as JsonObject)[status]).toEqual((alone.definitions as JsonObject)[status])
  const whole = new WholeDocument(parts, typeTables, async () => 'A', [document])
  expect(JSON.parse(new TextDecoder().decode(await whole.bytes('json')))).toEqual(merged)
  expect(Buffer.from(await whole.bytes('protobuf')).includes(path)).toBe(true)
})
