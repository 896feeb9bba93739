/** Random definitions of custom resources, with objects of their schemas. */

import type { Step } from '../../../conformance/scenario.ts'
import type { JsonObject, JsonValue } from '../../../src/go/json-value.ts'
import type { Edit } from '../../generated/cases.ts'
import type { Subject } from './subjects.ts'
import { pick, type Random } from './values.ts'
import { variant } from './variants.ts'

/** A schema with a value that is valid and values that may not be. */
interface Sample {
  readonly schema: JsonObject
  readonly valid: JsonValue
  readonly others: readonly JsonValue[]
}

const wrong: readonly JsonValue[] = [null, 'x', '', 7, -1, 1.5, true, [], {}, ['x'], { a: 1 }, [null]]

const sample = (schema: JsonObject, valid: JsonValue, ...others: JsonValue[]): Sample => ({ schema, valid, others })

const scalars: readonly Sample[] = [
  sample({ type: 'string' }, 'text'),
  sample({ type: 'string', default: 'made' }, 'text'),
  sample({ type: 'string', nullable: true }, null),
  sample({ type: 'string', nullable: true, default: 'made' }, 'text', null),
  sample({ type: 'string', minLength: 2, maxLength: 4 }, 'abc', 'a', 'abcde', 'äöüß', '😀😀😀😀😀'),
  sample({ type: 'string', pattern: '^[a-z]+(-[a-z]+)*$' }, 'a-b', 'A', 'a-', 'a\nb'),
  sample({ type: 'string', enum: ['one', 'two'] }, 'one', 'three', 'ONE'),
  sample({ type: 'string', enum: ['one', ''], default: '' }, 'one', 'three'),
  sample(
    { type: 'string', format: 'date-time' },
    '2026-01-02T03:04:05Z',
    '2026-01-02',
    '2026-01-02T03:04:05.5+01:00',
    '2026-13-02T03:04:05Z',
  ),
  sample({ type: 'string', format: 'duration' }, '1h30m', '90', '1 day', '-5s'),
  sample({ type: 'string', format: 'ipv4' }, '10.0.0.1', '10.0.0.256', '::1'),
  sample({ type: 'string', format: 'cidr' }, '10.0.0.0/8', '10.0.0.1', '10.0.0.0/33'),
  sample({ type: 'string', format: 'uri' }, 'https://example.com/x', 'not a uri', '/path'),
  sample({ type: 'string', format: 'email' }, 'a@example.com', 'a@', 'A <a@example.com>'),
  sample({ type: 'string', format: 'byte' }, 'aGk=', '!!', 'aGk'),
  sample({ type: 'string', format: 'uuid' }, '0b9f4ab0-6a5c-4b3e-9d3a-1f3c2a1b0c9d', '0b9f4ab0'),
  sample({ type: 'string', format: 'hostname' }, 'a.example.com', '-a', 'a_b'),
  sample({ type: 'string', format: 'own-format' }, 'anything'),
  sample({ type: 'integer' }, 3, 2 ** 53, 1e19),
  sample({ type: 'integer', format: 'int32' }, 3, 2147483648),
  sample({ type: 'integer', minimum: 0, maximum: 10, exclusiveMaximum: true }, 3, 10, -1, 11),
  sample({ type: 'integer', multipleOf: 5, default: 5 }, 10, 7),
  sample({ type: 'number', minimum: 0.5 }, 1.5, 0.25, 1),
  sample({ type: 'number', format: 'double', multipleOf: 0.5 }, 1.5, 0.7),
  sample({ type: 'boolean' }, true),
  sample({ type: 'boolean', default: false }, true),
  sample({ 'x-kubernetes-int-or-string': true }, '50%', 5, 'x', 1.5),
  sample(
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^[0-9]+%$' },
    '50%',
    5,
    'x',
  ),
  sample({ type: 'string', not: { enum: ['bad'] } }, 'good', 'bad'),
  sample({ type: 'string', anyOf: [{ minLength: 3 }, { pattern: '^a' }] }, 'abc', 'b', 'ab'),
  sample({ type: 'integer', oneOf: [{ minimum: 5 }, { maximum: 7 }] }, 3, 6, 9),
  sample({ type: 'integer', allOf: [{ minimum: 1 }, { maximum: 7 }] }, 3, 0, 9),
  sample({ type: 'string', 'x-kubernetes-validations': [{ rule: "self != 'bad'", message: 'must not be bad' }] }, 'good', 'bad'),
  sample(
    { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', messageExpression: "'was ' + string(oldSelf)" }] },
    5,
    3,
    9,
  ),
  sample(
    {
      type: 'string',
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', reason: 'FieldValueForbidden', message: 'immutable' }],
    },
    'fixed',
    'moved',
  ),
  sample(
    {
      type: 'integer',
      'x-kubernetes-validations': [{ rule: '!oldSelf.hasValue() || self > oldSelf.value()', optionalOldSelf: true }],
    },
    1,
    2,
    0,
  ),
]

const objects: readonly Sample[] = [
  sample({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, { any: [1, { b: null }] }),
  sample(
    { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
    { a: 'b' },
    { a: 'long text' },
    { a: 1 },
    { 'x/y': null },
  ),
  sample({ type: 'object', additionalProperties: { type: 'integer', default: 3 } }, { a: 1 }, { a: null }, { a: 'x' }),
  sample(
    { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { type: 'integer' } },
    { a: 1 },
    {},
    { a: 1, b: 2, c: 3 },
  ),
  sample(
    { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    { a: 'x' },
    { b: 'y' },
  ),
  sample(
    { type: 'object', properties: { inner: { type: 'string', default: 'd' }, n: { type: 'integer' } }, default: {} },
    { n: 1 },
    {},
  ),
  sample(
    { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'string' } } },
    { a: 'x' },
    { b: 'y' },
    { a: 'x', c: 1 },
  ),
  sample(
    { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { a: 1 } },
    { kind: 'Pod' },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'Bad Name', labels: { a: 1 }, x: 1 } },
  ),
  sample(
    {
      type: 'object',
      properties: { min: { type: 'integer' }, max: { type: 'integer' } },
      'x-kubernetes-validations': [
        { rule: '!has(self.min) || !has(self.max) || self.min <= self.max', fieldPath: '.min', reason: 'FieldValueInvalid' },
      ],
    },
    { min: 1, max: 2 },
    { min: 3, max: 2 },
  ),
]

const keyed = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, port: { type: 'integer' }, tag: { type: 'string', default: 't' } },
}

const lists: readonly Sample[] = [
  sample({ type: 'array', items: { type: 'string' } }, ['a', 'b'], ['a', 'a'], [1]),
  sample({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }, ['a', 'b'], ['a', 'a'], ['b', 'c']),
  sample({ type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' }, [1, 2], [1, 1], [2, 3]),
  sample({ type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 2 }, [1], [], [1, 2, 3]),
  sample({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic', default: ['x'] }, ['a'], []),
  sample(
    { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items: keyed },
    [{ name: 'a', port: 1 }, { name: 'b' }],
    [{ name: 'a' }, { name: 'a' }],
    [{ port: 1 }],
    [{ name: 'c', port: 'x' }],
  ),
  sample(
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, v: { type: 'string' } },
      },
    },
    [{ port: 1 }, { port: 1, protocol: 'UDP', v: 'x' }],
    [{ port: 1 }, { port: 1, protocol: 'TCP' }],
    [{ protocol: 'UDP' }],
  ),
  sample({ type: 'array', items: { type: 'array', items: { type: 'integer', maximum: 5 } } }, [[1], [2, 3]], [[9]], [null]),
]

interface Drawn {
  readonly properties: JsonObject
  readonly valid: JsonObject
  readonly edits: Edit[]
}

/** Draws fields with their schemas, values and edits. */
function drawn(path: readonly string[], depth: number, random: Random): Drawn {
  const properties: JsonObject = {}
  const valid: JsonObject = {}
  const edits: Edit[] = []
  const count = 3 + Math.floor(random() * 5)
  for (let at = 0; at < count; at++) {
    const name = `f${at}`
    const here = [...path, name]
    if (depth > 0 && random() < 0.25) {
      const inner = drawn(here, depth - 1, random)
      properties[name] = { type: 'object', properties: inner.properties }
      valid[name] = inner.valid
      edits.push(...inner.edits)
      continue
    }
    const { schema, valid: value, others } = pick(pick([scalars, scalars, objects, lists], random), random)
    properties[name] = schema
    if (random() < 0.8) valid[name] = value
    for (const each of [value, ...others, ...others, pick(wrong, random), pick(wrong, random)])
      edits.push({ path: here, types: [], value: each })
  }
  return { properties, valid, edits }
}

const group = `\${RAND}.example.com`

const columns = (random: Random): JsonValue => [
  { name: 'First', type: pick(['string', 'integer', 'number', 'boolean', 'date'], random), jsonPath: '.spec.f0' },
  {
    name: 'Second',
    type: pick(['string', 'integer', 'date'], random),
    jsonPath: pick(['.spec.f1', '.spec.f1[0]', '.spec.f1[*].name', '.status.f0'], random),
    priority: 1,
  },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
]

/** Returns the schema of an object; a variant of it for some seeds. */
function schemaOf(spec: Drawn, status: Drawn, random: Random, varies: boolean): JsonObject {
  const drawnSpec = { type: 'object', properties: spec.properties }
  return {
    type: 'object',
    properties: {
      spec: varies ? variant(drawnSpec, random) : drawnSpec,
      status: { type: 'object', properties: { ...status.properties, replicas: { type: 'integer' } } },
    },
  }
}

function definitionOf(spec: Drawn, status: Drawn, random: Random): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        plural: 'things',
        singular: 'thing',
        kind: 'Thing',
        listKind: 'ThingList',
        shortNames: ['th'],
        categories: ['all'],
      },
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema: { openAPIV3Schema: schemaOf(spec, status, random, name === 'v2' && random() < 0.5) },
        subresources: { status: {} },
        ...(random() < 0.7 && { additionalPrinterColumns: columns(random) }),
      })),
    },
  }
}

/** Returns changes of the definition: of a schema, and of the storage version. The servers notice them in their own time. */
function changesOf(spec: Drawn, status: Drawn, path: string, random: Random): Step[][] {
  const headers = { 'content-type': 'application/json-patch+json' }
  const change = (body: JsonValue): Step[] => [{ do: `PATCH ${path}`, headers, body, statusOnly: true }, { sleep: 1500 }]
  const schema = (at: number): JsonObject => ({
    op: 'replace',
    path: `/spec/versions/${at}/schema/openAPIV3Schema`,
    value: schemaOf(spec, status, random, true),
  })
  const stored = (at: number): JsonObject[] =>
    [0, 1].map((each) => ({ op: 'replace', path: `/spec/versions/${each}/storage`, value: each === at }))
  return [change([schema(0)]), change([schema(1)]), change([schema(0), schema(1)]), change(stored(0)), change(stored(1))]
}

/** Returns a custom resource with a random schema in two versions. */
export function customSubject(random: Random): Subject {
  const [spec, status] = [drawn(['spec'], 2, random), drawn(['status'], 1, random)]
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const served = ['v1', 'v2'].map((version) => {
    const apiVersion = `${group}/${version}`
    const head = { apiVersion, kind: 'Thing', metadata: { name: 'case' } }
    return {
      apiVersion,
      namespaced: true,
      subresources: new Set(['status']),
      collection: `/apis/${apiVersion}/namespaces/\${NS}/things`,
      bases: [
        { ...head, spec: spec.valid, status: status.valid },
        { ...head, spec: spec.valid },
      ],
      edits: [...spec.edits, ...status.edits],
    }
  })
  const established = { field: 'status.conditions.1.status', equals: 'True', timeout: 8000 }
  return {
    resource: 'custom',
    name: 'case',
    versions: served,
    changes: changesOf(spec, status, `${path}/things.${group}`, random),
    before: [
      { do: `POST ${path}`, body: definitionOf(spec, status, random), statusOnly: true },
      { do: `GET ${path}/things.${group}`, until: established, statusOnly: true },
      { do: `GET /apis/${group}/v2/namespaces/\${NS}/things`, until: { status: 200 }, statusOnly: true },
    ],
    after: [{ do: `DELETE ${path}/things.${group}` }],
  }
}
