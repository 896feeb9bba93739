import { expect, test } from 'vitest'
import { boundedDocuments, pathsInIndex, versionInAggregated, versionInResourceList } from './documents.ts'

const place = { group: 'metrics.example.com', version: 'v1' }
const pods = { name: 'pods', singularName: 'pod', namespaced: true, kind: 'PodMetrics', verbs: ['get'], shortNames: ['po'] }

test('an APIResourceList becomes discovery, with its subresources', () => {
  const log = { name: 'pods/log', singularName: '', namespaced: true, kind: 'Log', group: 'other', version: 'v2', verbs: ['get'] }
  expect(versionInResourceList(JSON.stringify({ resources: [pods, log] }), place)).toEqual({
    version: 'v1',
    resources: [
      {
        resource: 'pods',
        responseKind: { group: 'metrics.example.com', version: 'v1', kind: 'PodMetrics' },
        scope: 'Namespaced',
        singularResource: 'pod',
        verbs: ['get'],
        shortNames: ['po'],
        subresources: [{ subresource: 'log', responseKind: { group: 'other', version: 'v2', kind: 'Log' }, verbs: ['get'] }],
      },
    ],
  })
})

test.each(['{}', '[]', '{"items":[{"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[{}]}]}]}', '{"items":7}'])(
  'a document without the group version gives no resources: %s',
  (text) => {
    expect(versionInAggregated(text, place)).toEqual({ version: 'v1' })
  },
)

test('fields of another type than kube-apiserver’s are left out', () => {
  const resource = { resource: 7, scope: ['x'], verbs: 'get', shortNames: [1, 'a'], extra: true }
  const text = JSON.stringify({
    items: [{ metadata: { name: place.group }, versions: [{ version: 'v1', resources: [resource] }] }],
  })
  expect(versionInAggregated(text, place)).toEqual({
    version: 'v1',
    resources: [
      {
        resource: '',
        responseKind: { group: '', version: '', kind: '' },
        scope: '',
        singularResource: '',
        verbs: [],
        shortNames: ['a'],
      },
    ],
  })
})

test('of an index of OpenAPI 3 only the own paths count, and only URLs of this server', () => {
  const at = (url: string) => ({ serverRelativeURL: url })
  const paths = {
    'apis/metrics.example.com/v1': at('/openapi/v3/apis/metrics.example.com/v1?hash=1'),
    'apis/metrics.example.com': at('https://elsewhere/'),
    'api/v1': at('/openapi/v3/api/v1?hash=2'),
  }
  expect(pathsInIndex(JSON.stringify({ paths }), place)).toEqual({
    'apis/metrics.example.com/v1': '/openapi/v3/apis/metrics.example.com/v1?hash=1',
  })
})

test('documents that are too long are left out', () => {
  const discovery = { version: 'v1', resources: [{ resource: 'x'.repeat(200_000) }] }
  expect(boundedDocuments({ discovery }, 'v1')).toEqual({ discovery: { version: 'v1' } })
})
