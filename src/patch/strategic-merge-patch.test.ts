import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { goPrint } from '../go/print.ts'
import { strategicMerge, strategicMergePatch } from './strategic-merge-patch.ts'
import { workload } from './types.fixture.ts'

const target = (): JsonObject => ({
  kind: 'Workload',
  metadata: { name: 'w', labels: { a: '1', b: '2' }, finalizers: ['x', 'y', 'z'], extra: { groups: ['g'] } },
  spec: {
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
    selector: { matchLabels: { app: 'w' } },
    containers: [
      {
        name: 'c1',
        image: 'one',
        args: ['a', 'b'],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
      { name: 'c2', image: 'two' },
      { name: 'c3', image: 'three' },
    ],
    volumes: [{ name: 'v1', emptyDir: {} }],
    ports: [
      { port: 80, name: 'web' },
      { port: 53, name: 'dns' },
    ],
    tolerations: [{ key: 'k' }],
    keyless: [{ key: 'k' }],
    template: { text: 'x', inner: { deep: 1 } },
  },
})

const patched = (patch: JsonValue): JsonObject => strategicMergePatch(target(), JSON.stringify(patch), workload) as JsonObject
const spec = (patch: JsonObject): JsonObject => patched({ spec: patch }).spec as JsonObject
const metadata = (patch: JsonObject): JsonObject => patched({ metadata: patch }).metadata as JsonObject

/** Returns the names of the containers after the patch, in their order. */
const containers = (patch: JsonObject): string[] => (spec(patch).containers as { name: string }[]).map(({ name }) => name)
const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name }))

describe('strategic merge of objects', () => {
  test('members are merged, and null removes a member', () => {
    expect(metadata({ labels: { a: null, b: '3', c: '4', never: null } }).labels).toEqual({ b: '3', c: '4' })
    expect(spec({ replicas: null })).not.toHaveProperty('replicas')
  })

  test('an empty patch and null change nothing', () => {
    expect(patched({})).toEqual(target())
    expect(patched(null)).toEqual(target())
  })

  test('new members lose their nulls and directives at every depth', () => {
    expect(metadata({ annotations: { a: null, b: 'x' } }).annotations).toEqual({ b: 'x' })
    expect(metadata({ annotations: { $patch: 'replace', b: 'x' } })).not.toHaveProperty('annotations')
    const list = [{ key: 'k', value: null }, { $patch: 'delete' }]
    expect(patched({ status: { conditions: list, gone: { $patch: 'delete' } } }).status).toEqual({ conditions: [{ key: 'k' }] })
  })

  test('$patch: replace and $patch: delete of an object', () => {
    expect(metadata({ labels: { $patch: 'replace', z: '1' } }).labels).toEqual({ z: '1' })
    expect(metadata({ labels: { $patch: 'delete', z: '1' } }).labels).toEqual({})
    expect(patched({ $patch: 'replace', kind: 'Other' })).toEqual({ kind: 'Other' })
  })

  test('patchStrategy replace takes the value of the patch unchanged', () => {
    expect(spec({ selector: { matchLabels: { z: null } } }).selector).toEqual({ matchLabels: { z: null } })
  })

  test('$retainKeys removes all other keys', () => {
    const strategy = { $retainKeys: ['type'], type: 'Recreate', rollingUpdate: null }
    expect(spec({ strategy }).strategy).toEqual({ type: 'Recreate' })
    const volumes = [{ name: 'v1', $retainKeys: ['name', 'configMap'], configMap: { name: 'x' } }]
    expect(spec({ volumes }).volumes).toEqual([{ name: 'v1', configMap: { name: 'x' } }])
  })

  test('__proto__ is an ordinary key', () => {
    const patch = '{"metadata":{"labels":{"__proto__":"x"},"annotations":{"__proto__":{"polluted":"yes"}}}}'
    const text = JSON.stringify(strategicMergePatch(target(), patch, workload))
    expect(text).toContain('"labels":{"a":"1","b":"2","__proto__":"x"}')
    expect(text).toContain('"annotations":{"__proto__":{"polluted":"yes"}}')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('strategic merge of lists of objects', () => {
  test('elements are merged by their merge key, in the order of the patch', () => {
    const { containers: merged } = spec({
      containers: [
        { name: 'new', image: 'n' },
        { name: 'c2', image: 'changed' },
      ],
    })
    expect(merged).toEqual([
      { name: 'new', image: 'n' },
      target().spec && (target().spec as { containers: JsonValue[] }).containers[0],
      { name: 'c2', image: 'changed' },
      { name: 'c3', image: 'three' },
    ])
  })

  test('lists inside elements are merged by their own strategy', () => {
    const patch = { name: 'c1', args: ['z'], env: [{ name: 'B', value: '9' }, { name: 'A', $patch: 'delete' }, { name: 'C' }] }
    const [first] = spec({ containers: [patch] }).containers as JsonValue[]
    expect(first).toEqual({ name: 'c1', image: 'one', args: ['z'], env: [{ name: 'B', value: '9' }, { name: 'C' }] })
  })

  test('merge keys may be numbers', () => {
    expect(spec({ ports: [{ port: 53, name: 'd' }] }).ports).toEqual([
      { port: 80, name: 'web' },
      { port: 53, name: 'd' },
    ])
    expect(spec({ ports: [{ port: 80, $patch: 'delete' }] }).ports).toEqual([{ port: 53, name: 'dns' }])
  })

  test('merge keys beyond 2^53 are distinct', () => {
    const list = '[{"port":9007199254740993,"name":"a"},{"port":9007199254740995,"name":"b"}]'
    const patch = '{"spec":{"ports":[{"port":9007199254740995,"name":"c"}]}}'
    const result = strategicMergePatch(parseJson(`{"spec":{"ports":${list}}}`) as JsonObject, patch, workload)
    expect(JSON.stringify(result)).toBe(`{"spec":{"ports":${list.replace('"b"', '"c"')}}}`)
  })

  test('$patch: replace of a list', () => {
    expect(containers({ containers: [...named('n'), { $patch: 'replace' }] })).toEqual(['n'])
    expect(containers({ containers: [{ name: 'c1', $patch: 'replace' }] })).toEqual([])
  })

  test('a list without patchStrategy is replaced', () => {
    expect(spec({ tolerations: [{ key: 'z', value: null }] }).tolerations).toEqual([{ key: 'z', value: null }])
    expect(spec({ tolerations: [] }).tolerations).toEqual([])
  })

  const orders: [order: string[], patch: JsonObject[], result: string[]][] = [
    [['c3', 'c2', 'c1'], [], ['c3', 'c2', 'c1']],
    [['c3', 'c1'], [], ['c2', 'c3', 'c1']],
    [['c3', 'new', 'c1'], named('new'), ['c2', 'c3', 'new', 'c1']],
    [['new'], named('new'), ['new', 'c1', 'c2', 'c3']],
    [
      ['c2', 'new'],
      [...named('new'), { name: 'c1', $patch: 'delete' }],
      ['c2', 'c3', 'new'],
    ],
    [['new'], [...named('new'), { name: 'c1', $patch: 'delete' }], ['c2', 'c3', 'new']],
    [[], [], ['c1', 'c2', 'c3']],
    [[], named('new'), ['c1', 'c2', 'c3', 'new']],
    [['absent'], [], ['c1', 'c2', 'c3']],
  ]
  test.each(orders)('$setElementOrder %j, patch %j', (order, patch, result) => {
    const list = patch.length > 0 && { containers: patch }
    expect(containers({ '$setElementOrder/containers': named(...order), ...list })).toEqual(result)
  })

  test('$setElementOrder of a new list, and of an absent one', () => {
    const target: JsonObject = { spec: {} }
    const patch =
      '{"spec":{"ports":[{"port":2},{"port":1},{"$patch":"delete","port":3}],"$setElementOrder/ports":[{"port":2},{"port":1}]}}'
    expect(strategicMergePatch(target, patch, workload)).toEqual({ spec: { ports: [{ port: 2 }, { port: 1 }] } })
    expect(strategicMergePatch(target, '{"spec":{"$setElementOrder/ports":[]}}', workload)).toEqual(target)
  })
})

describe('strategic merge of lists of scalars', () => {
  const cases: [patch: JsonObject, result: string[]][] = [
    [{ finalizers: ['n', 'y'] }, ['n', 'x', 'y', 'z']],
    [{ finalizers: ['x'] }, ['x', 'y', 'z']],
    [{ '$deleteFromPrimitiveList/finalizers': ['y', 'absent'] }, ['x', 'z']],
    [{ '$setElementOrder/finalizers': ['z', 'n', 'x'], finalizers: ['n'] }, ['y', 'z', 'n', 'x']],
    [{ '$setElementOrder/finalizers': ['z', 'x'], '$deleteFromPrimitiveList/finalizers': ['y'] }, ['z', 'x']],
  ]
  test.each(cases)('%j', (patch, result) => {
    expect(metadata(patch).finalizers).toEqual(result)
  })

  test('null removes the list', () => {
    expect(metadata({ finalizers: null })).not.toHaveProperty('finalizers')
    expect(metadata({ '$deleteFromPrimitiveList/finalizers': null })).not.toHaveProperty('finalizers')
  })
})

describe('rejected strategic merge patches', () => {
  const cases: [patch: JsonValue, code: number, message: string][] = [
    [[], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [{ metadata: { labels: { $patch: 'merge', x: 1 } } }, 500, 'unknown patch type: merge in map: map[$patch:merge x:1]'],
    [{ metadata: { labels: { $patch: 5 } } }, 500, 'unknown patch type: %!s(int64=5) in map: map[$patch:5]'],
    [{ spec: { containers: [{ name: 'c1', $patch: 'merge' }] } }, 500, 'merging lists cannot yet be specified in the patch'],
    [{ spec: { containers: [{ name: 'c1', $patch: 'x' }] } }, 500, 'unknown patch type: x in map: map[$patch:x name:c1]'],
    [{ spec: { containers: [{ image: 'x' }] } }, 500, 'map: map[image:x] does not contain declared merge key: name'],
    [{ spec: { containers: [{ $patch: 'delete' }] } }, 500, 'map: map[$patch:delete] does not contain declared merge key: name'],
    [{ metadata: { finalizers: [5] } }, 500, 'list element types are not identical: [[x y z] [5]]'],
    [{ spec: { keyless: [{ key: 'x' }] } }, 500, 'cannot merge lists without merge key for struct'],
    [{ metadata: { extra: { groups: ['h'] } } }, 500, 'merging an object in json but data type is not struct, instead is: map'],
    [
      { spec: { template: { inner: { deep: 2 } } } },
      500,
      'unable to find api field in struct RawExtension for the json field "inner"',
    ],
    [
      { spec: { '$setElementOrder/bogus': [] } },
      500,
      'unable to find api field in struct WorkloadSpec for the json field "bogus"',
    ],
    [{ spec: { '$setElementOrder/strategy': [] } }, 500, 'expected a []interface {}, but received a map[string]interface {}'],
    [{ spec: { '$setElementOrder/replicas': [] } }, 500, 'expected a []interface {}, but received a int64'],
    [{ spec: { '$setElementOrder/ports': null } }, 500, 'expected a []interface {}, but received a %!s(<nil>)'],
    [{ spec: { '$setElementOrder/ports': [5] } }, 500, 'value for key 0 is not a map'],
    [
      { spec: { '$setElementOrder/ports': [{ port: 53 }, { port: 80 }], ports: [{ port: 80 }, { port: 53 }] } },
      500,
      "The order in patch list:\n[map[port:80] map[port:53]]\n doesn't match $setElementOrder list:\n[map[port:53] map[port:80]]\n",
    ],
    [{ spec: { $setElementOrderPorts: [] } }, 400, 'invalid patch format of setElementOrder list'],
    [{ metadata: { $deleteFromPrimitiveList: [] } }, 400, 'invalid patch format of primitive list'],
    [
      { metadata: { '$deleteFromPrimitiveList/finalizers': [null] } },
      500,
      'list element types are not identical: [[x y z] [<nil>]]',
    ],
    [{ spec: { strategy: { $retainKeys: 'type' } } }, 400, 'invalid patch format of retainKeys'],
    [{ spec: { strategy: { $retainKeys: ['type'], rollingUpdate: {} } } }, 400, 'invalid patch format of retainKeys'],
    [{ spec: { strategy: { $retainKeys: [{}] } } }, 400, 'invalid patch format of retainKeys'],
    [{ metadata: { '$setElementOrder/finalizers': [['x']] } }, 400, 'invalid patch format of primitive list'],
  ]
  test.each(cases)('%j', (patch, code, message) => {
    expect(() => patched(patch)).toThrow(expect.objectContaining({ code, message }))
  })

  test('422 for lists of lists', () => {
    const message = 'the server rejected our request due to an error in our request'
    const apply = (): unknown =>
      strategicMergePatch({ metadata: { finalizers: [] } }, '{"metadata":{"finalizers":[["x"]]}}', workload)
    expect(apply).toThrow(expect.objectContaining({ code: 422, reason: 'Invalid', message }))
  })

  test('400 for a body that is not JSON', () => {
    const apply = (text: string) => (): unknown => strategicMergePatch({}, text, workload)
    expect(apply('{"a":')).toThrow(expect.objectContaining({ code: 400, message: 'unexpected end of JSON input' }))
    expect(apply('{"a":1e999}')).toThrow(
      expect.objectContaining({ code: 400, message: 'json: cannot unmarshal number 1e999 into Go value of type float64' }),
    )
  })
})

test('the returned patch lacks the parts that the merge consumed', () => {
  const patch = {
    metadata: { labels: { $patch: 'replace', x: 'y' } },
    spec: { '$setElementOrder/ports': [{ port: 80 }], replicas: 'x' },
  }
  expect(goPrint(strategicMerge(target(), JSON.stringify(patch), workload).patch)).toBe(
    'map[metadata:map[labels:map[x:y]] spec:map[replicas:x]]',
  )
})

test('long lists are merged in reasonable time', () => {
  const names = (count: number, prefix: string): JsonObject[] =>
    named(...Array.from({ length: count }, (_, index) => `${prefix}${index}`))
  const patch = { spec: { containers: names(40_000, 'a'), '$setElementOrder/containers': names(40_000, 'a') } }
  const result = strategicMergePatch({ spec: { containers: names(40_000, 'b') } }, JSON.stringify(patch), workload)
  expect((result as { spec: { containers: unknown[] } }).spec.containers).toHaveLength(80_000)
})

test('no patch changes the target', () => {
  const directive = fc.record(
    { name: fc.constantFrom('c1', 'c2', 'n'), $patch: fc.constantFrom('delete', 'replace') },
    { requiredKeys: ['name'] },
  )
  const patch = fc.record(
    {
      containers: fc.array(directive),
      '$setElementOrder/containers': fc.constantFrom(named('c3', 'c1'), named('n', 'c2')),
      strategy: fc.constantFrom({ $retainKeys: ['type'] }, { $patch: 'replace' }, { rollingUpdate: { maxSurge: null } }, null),
      ports: fc.constantFrom([{ port: 80, name: null }], [{ port: 53, $patch: 'delete' }], []),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(patch, (generated) => {
      const before = target()
      try {
        strategicMergePatch(before, JSON.stringify({ spec: generated }), workload)
      } catch {
        // A rejected patch must not change the target either.
      }
      expect(before).toEqual(target())
    }),
  )
})

test('a patch with the current values changes nothing', () => {
  fc.assert(
    fc.property(fc.subarray(['replicas', 'strategy', 'selector', 'containers', 'volumes', 'ports', 'tolerations']), (keys) => {
      const whole = target().spec as JsonObject
      const patch = { spec: Object.fromEntries(keys.map((key) => [key, whole[key] ?? null])) }
      expect(patched(patch)).toEqual(target())
    }),
  )
})
