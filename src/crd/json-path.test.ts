import { expect, test } from 'vitest'
import type { JsonValue } from '../go/json-value.ts'
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
  ["['metadata']['annotations']['example\\.com/a']", ['x']],
  ["['spec.ports'][0].port", [1]],
  ['.spec.ports[0,1].port', [1, 2]],
  ['.spec.ports[0:2:2].port', [1]],
  ['.spec.ports[7].port', []],
  ['.spec.ports[?(@.port>1)].name', ['b']],
  ['.spec.ports[?(@.port>1.5)].name', []],
  ['.spec.ports[?(@.port=="1")].name', []],
  ['.status.conditions[?(@.type[0])].status', ['True', 'False']],
  ['.spec.', []],
])('JSON path %s', (path, found) => {
  expect(jsonPathOf(path)?.find(object)).toEqual(found)
})

test.each(['.spec.ports[', '.a[?(@.b==)]', '.a{', '.a[b]', '.a["b"]', '.a[?@.b]', '.a....b', `.a${'[?(@'.repeat(40)}`])(
  'JSON path %s is invalid',
  (path) => {
    expect(jsonPathOf(path)).toBeUndefined()
  },
)
