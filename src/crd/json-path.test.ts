import { expect, test } from 'vitest'
import type { JsonValue } from '../meta/json-value.ts'
import { jsonPathOf } from './json-path.ts'

const object: JsonValue = {
  metadata: { annotations: { 'example.com/a': 'x' } },
  spec: { ports: [{ port: 1 }, { port: 2, name: 'b' }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  },
}

test.each<[string, JsonValue[]]>([
  ['.spec.ports[0].port', [1]],
  ['.spec.ports[-1].port', [2]],
  ['.spec.ports[*].port', [1, 2]],
  ['.spec.ports[?(@.name)].port', [2]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  ["['spec']['ports'][1]['name']", ['b']],
  ['.metadata.annotations.example\\.com/a', ['x']],
  ['..port', [1, 2]],
  ['.spec.missing.deeper', []],
])('%s', (path, found) => {
  expect(jsonPathOf(path)?.find(object)).toEqual(found)
})

test.each(['.spec.ports[', '.a[?(@.b==)]', '.a{'])('%s is no path', (path) => {
  expect(jsonPathOf(path)).toBeUndefined()
})
