/** The schema for generated expressions, with or without size limits, and objects of it. */
import type { JsonObject } from '../../../src/go/json-value.ts'

/** Whether the schema limits the size of values: without limits expressions are estimated to be costly. */
export type Bounds = 'bounded' | 'unbounded'

/** Returns the properties of all objects. */
function properties(bounds: Bounds): JsonObject {
  const most = (keywords: JsonObject): JsonObject => (bounds === 'bounded' ? keywords : {})
  const text: JsonObject = { type: 'string', ...most({ maxLength: 40 }) }
  const integer: JsonObject = { type: 'integer' }
  const item: JsonObject = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', maxLength: 20 }, count: integer },
  }
  return {
    flag: { type: 'boolean' },
    count: integer,
    other: { type: 'integer', format: 'int32' },
    ratio: { type: 'number' },
    name: text,
    other_text: text,
    choice: { type: 'string', enum: ['a', 'long-choice', ''] },
    nested: {
      type: 'object',
      properties: { number: integer, text, deeper: { type: 'object', properties: { number: integer } } },
    },
    numbers: { type: 'array', items: integer, ...most({ maxItems: 6 }) },
    words: { type: 'array', items: text, ...most({ maxItems: 5 }) },
    unique: {
      type: 'array',
      'x-kubernetes-list-type': 'set',
      items: { type: 'string', maxLength: 20 },
      ...most({ maxItems: 4 }),
    },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: item,
      ...most({ maxItems: 4 }),
    },
    byName: { type: 'object', additionalProperties: integer, ...most({ maxProperties: 4 }) },
    labels: { type: 'object', additionalProperties: text, ...most({ maxProperties: 4 }) },
    intOrString: { 'x-kubernetes-int-or-string': true, ...most({ maxLength: 20 }) },
    data: { type: 'string', format: 'byte', ...most({ maxLength: 40 }) },
    time: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    wait: { type: 'string', format: 'duration' },
    namespace: text,
    'a-b': integer,
    'x.y': text,
    'a/b': text,
    under__score: text,
    nothing: { type: 'string', nullable: true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    marker: integer,
  }
}

/** Returns the schema with these rules at `spec`. */
export function schemaOf(bounds: Bounds, rules: readonly JsonObject[]): JsonObject {
  const spec: JsonObject = { type: 'object', properties: properties(bounds) }
  if (rules.length > 0) spec['x-kubernetes-validations'] = [...rules]
  return { type: 'object', properties: { spec } }
}

const full: JsonObject = {
  flag: true,
  count: 3,
  other: -2,
  ratio: 2.5,
  name: 'abc',
  other_text: '10.0.0.1',
  choice: 'a',
  nested: { number: 5, text: 'é😀', deeper: { number: 1 } },
  numbers: [3, 1, 2, 3],
  words: ['b', 'a', '', '42'],
  unique: ['x', 'a'],
  items: [{ name: 'a', count: 1 }, { name: 'b' }],
  byName: { a: 1, 'b c': 2 },
  labels: { a: 'x', '': 'empty' },
  intOrString: 7,
  data: 'aGVsbG8=',
  time: '2024-02-29T12:30:45.5Z',
  day: '2023-12-31',
  wait: '90s',
  namespace: 'default',
  'a-b': 4,
  'x.y': 'dot',
  'a/b': 'slash',
  under__score: 'u',
  free: { anything: [1, 'a', null] },
}

/** The specs for which rules are evaluated: with all fields, without any, and with extreme values. */
export const specs: readonly JsonObject[] = [
  full,
  { marker: 0 },
  {
    ...full,
    flag: false,
    count: 9007199254740991,
    other: 0,
    ratio: 3,
    name: '',
    nested: {},
    numbers: [],
    words: ['1.2.3', '1.5Gi', 'https://example.com:443/path?a=b'],
    items: [],
    byName: {},
    labels: {},
    intOrString: '50%',
    data: '',
    time: '1969-12-31T23:59:59+02:00',
    wait: '-1h',
    nothing: null,
  },
]

/** The old spec for transition rules. */
export const before: JsonObject = {
  ...full,
  count: 2,
  name: 'was',
  numbers: [1],
  items: [{ name: 'b', count: 9 }],
  intOrString: 'x',
}
