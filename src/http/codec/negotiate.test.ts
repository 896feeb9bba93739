import { describe, expect, test } from 'vitest'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { encodings } from '../../encoding/encodings.ts'
import {
  aggregatedDiscovery,
  asksFor,
  negotiateError,
  negotiateOutput,
  negotiateStream,
  noView,
  viewRuleOf,
} from './negotiate.ts'

function found(...name: Parameters<typeof kindOf>): Kind {
  const kind = kindOf(...name)
  if (kind === undefined) throw new Error('no such kind')
  return kind
}

const secrets = found('', 'v1', 'secrets')

const request = (accept?: string, url = 'https://host/api', agent?: string): Request => {
  const headers = new Headers()
  if (accept !== undefined) headers.set('accept', accept)
  if (agent !== undefined) headers.set('user-agent', agent)
  return new Request(url, { headers })
}

const json = { encoding: encodings.json }
const yaml = { encoding: encodings.yaml }
const protobuf = { encoding: encodings.protobuf }
const indentedJson = { encoding: encodings.indentedJson }
const meta = ';g=meta.k8s.io'

describe('negotiateOutput', () => {
  test.each([
    [undefined, json],
    ['*/*', json],
    ['application/*', json],
    ['application/yaml', yaml],
    ['application/vnd.kubernetes.protobuf', protobuf],
    ['application/vnd.kubernetes.protobuf;stream=watch', protobuf],
    ['application/vnd.kubernetes.protobuf,application/json', protobuf],
    ['application/vnd.kubernetes.protobuf;q=0.5,application/json', json],
    ['application/vnd.*,application/json;q=0.1', json],
    ['application/json;foo=bar', json],
    ['application/json;sv=', json],
    ['application/json;stream=watch', json],
    ['application/json;pretty=1', indentedJson],
    ['application/json; as=Foo, */*', json],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', json],
  ])('Accept: %j', (accept, expected) => {
    expect(negotiateOutput(request(accept), noView)).toEqual(expected)
  })

  test.each([
    'text/html',
    'APPLICATION/JSON',
    'application/json;stream=foo',
    'application/yaml;stream=watch',
    'application/json;sv=x',
    `application/json;as=Table;v=v1${meta}`,
    ',',
  ])('Accept: %j is 406 NotAcceptable', (accept) => {
    expect(() => negotiateOutput(request(accept), noView)).toThrow(
      expect.objectContaining({
        code: 406,
        reason: 'NotAcceptable',
        details: undefined,
        message:
          'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      }),
    )
  })
})

describe('as=Table and as=PartialObjectMetadata', () => {
  test.each([
    [`application/json;as=Table;v=v1${meta}`, { ...json, view: { as: 'Table', version: 'v1' } }],
    [`application/yaml;as=Table;v=v1beta1${meta}`, { ...yaml, view: { as: 'Table', version: 'v1beta1' } }],
    [
      `application/vnd.kubernetes.protobuf;as=Table;v=v1${meta},application/json;as=PartialObjectMetadata;v=v1${meta}`,
      { ...json, view: { as: 'PartialObjectMetadata', version: 'v1' } },
    ],
    [`application/json;as=Table;v=v2${meta},application/yaml`, yaml],
    ['application/json;as=Table;v=v1,application/yaml', yaml],
    ['application/json', json],
    ['application/vnd.kubernetes.protobuf,application/json', protobuf],
    [
      `application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1${meta}`,
      { ...protobuf, view: { as: 'PartialObjectMetadata', version: 'v1' } },
    ],
  ])('Accept: %j', (accept, expected) => {
    expect(negotiateOutput(request(accept), viewRuleOf(secrets, ''))).toEqual(expected)
  })

  test('aggregated discovery needs as=APIGroupDiscoveryList', () => {
    const clause = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    expect(asksFor(request(`${clause};profile=nopeer`), aggregatedDiscovery)?.view).toEqual({
      as: 'APIGroupDiscoveryList',
      version: 'v2',
    })
    expect(asksFor(request(`application/json,${clause}`), aggregatedDiscovery)).toBeDefined()
    expect(asksFor(request(clause.replace('v2', 'v2beta1')), aggregatedDiscovery)).toBeUndefined()
    expect(asksFor(request(), aggregatedDiscovery)).toBeUndefined()
  })
})

test('protobuf of a custom resource is served only as PartialObjectMetadata', () => {
  const custom = { ...secrets, apiVersion: 'example.com/v1', kind: 'Widget' }
  const partial = `application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1${meta}`
  expect(negotiateOutput(request('application/vnd.kubernetes.protobuf,application/json'), viewRuleOf(custom, ''))).toEqual(json)
  expect(() => negotiateOutput(request('application/vnd.kubernetes.protobuf'), viewRuleOf(custom, ''))).toThrow(
    expect.objectContaining({ code: 406 }),
  )
  expect(negotiateOutput(request(partial), viewRuleOf(custom, '')).encoding).toBe(encodings.protobuf)
})

test.each(['ephemeralcontainers', 'resize'])('pods/%s has metadata but no Table', (subresource) => {
  const rule = viewRuleOf(secrets, subresource)
  const table = `application/json;as=Table;v=v1${meta}`
  expect(() => negotiateOutput(request(table), rule)).toThrow(expect.objectContaining({ code: 406 }))
  expect(negotiateOutput(request(`${table},application/json`), rule)).toEqual(json)
  const partial = `application/json;as=PartialObjectMetadata;v=v1${meta}`
  expect(negotiateOutput(request(partial), rule).view).toEqual({ as: 'PartialObjectMetadata', version: 'v1' })
})

test('a watch in YAML: 406 NotAcceptable, after the errors of the watch', () => {
  expect(negotiateStream(request('application/json'), viewRuleOf(secrets, ''))).toEqual(json)
  expect(negotiateStream(request('application/yaml'), viewRuleOf(secrets, '')).refusal?.message).toBe(
    'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
  )
})

test('an error is written in an accepted media type, otherwise as indented JSON', () => {
  expect(negotiateError(request('application/yaml'))).toEqual(yaml)
  expect(negotiateError(request(`application/json;as=Table;v=v1${meta},application/json`))).toEqual(json)
  expect(negotiateError(request('text/html'))).toEqual(indentedJson)
})

test.each([
  ['', undefined, false],
  ['?pretty', 'curl/8', true],
  ['?pretty=1', undefined, true],
  ['?pretty=TRUE', undefined, true],
  ['?pretty=true&pretty=false', undefined, true],
  ['?pretty=x', 'curl/8', false],
  ['?pretty=0', 'Mozilla/5.0 X', false],
  ['', 'curl/8', true],
  ['', 'Wget', true],
  ['', 'Mozilla/5.0 X', true],
  ['', 'Mozilla/4.0 X', false],
  ['', 'kubectl/v1.36.3', false],
])('?pretty: query %j and User-Agent %j give %j', (query, agent, pretty) => {
  expect(negotiateOutput(request(undefined, `https://host/api${query}`, agent), noView).encoding).toBe(
    pretty ? encodings.indentedJson : encodings.json,
  )
})
