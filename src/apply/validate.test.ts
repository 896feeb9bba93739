import { expect, test } from 'vitest'
import { list, string, struct, widget } from './types.fixture.ts'
import { validationErrors } from './validate.ts'

const containers = (...items: unknown[]) => ({ spec: { containers: items } })
const odd = struct('Odd', { pairs: list(struct('Pair', { a: string, b: string }), 'map', ['b', 'a']) })

test.each([
  [{ bogus: 1 }, '.bogus: field not declared in schema'],
  [{ data: { a: 5 } }, '.data.a: expected string, got &value.valueUnstructured{Value:5}'],
  [{ data: { a: true } }, '.data.a: expected string, got &value.valueUnstructured{Value:true}'],
  [
    { data: { a: { b: [1, 'x"'] } } },
    '.data.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":[]interface {}{1, "x\\""}}}',
  ],
  [{ data: 'x' }, '.data: expected map, got &{x}'],
  [{ spec: { hosts: { a: 1 } } }, '.spec.hosts: expected list, got &{map[a:1]}'],
  [{ spec: { replicas: 'x' } }, '.spec.replicas: expected numeric (int or float), got string'],
  [{ spec: { hosts: ['a', 7] } }, '.spec.hosts[1]: expected string, got &value.valueUnstructured{Value:7}'],
  [{ spec: { selector: { a: 7 } } }, '.spec.selector.a: expected string, got &value.valueUnstructured{Value:7}'],
  [containers({ name: 'c' }, { name: 'c' }), '.spec.containers: duplicate entries for key [name="c"]'],
  [containers('c'), '.spec.containers: element 0: associative list with keys may not have non-map elements'],
  [containers(null), '.spec.containers: element 0: associative list with keys may not have a null element'],
  [
    containers({ name: 'c', ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] }),
    '.spec.containers[name="c"].ports: duplicate entries for key [port=80,protocol="TCP"]',
  ],
  [
    containers({ name: 'c', ports: [{ port: [null, {}] }] }),
    '.spec.containers[name="c"].ports[port=[null,],protocol="TCP"].port: expected numeric (int or float), got []interface {}',
  ],
  [
    containers({ name: 'c', ports: [{ port: { a: 'b' } }] }),
    '.spec.containers[name="c"].ports[port=a="b",protocol="TCP"].port: expected numeric (int or float), got map[string]interface {}',
  ],
  [{ metadata: { finalizers: ['a', 'a'] } }, '.metadata.finalizers: duplicate entries for key [="a"]'],
  [
    { metadata: { finalizers: [null] } },
    ".metadata.finalizers: element 0: associative list without keys has an element that's an explicit null",
  ],
  [
    { data: { a: 1 }, spec: { hosts: 'x' } },
    'errors:\n  .data.a: expected string, got &value.valueUnstructured{Value:1}\n  .spec.hosts: expected list, got &{x}',
  ],
])('invalid configuration: %j', (object, complaints) => expect(validationErrors(widget, object as never)).toBe(complaints))

test('the error for an item without any key contains the names of the keys', () => {
  expect(validationErrors(odd, { pairs: [{}] })).toBe(
    '.pairs: element 0: associative list with keys has an element that omits all key fields ["b" "a"] ' +
      "(and doesn't have default values for any key fields)",
  )
})

test.each([
  [{ data: null, spec: { containers: null, replicas: null } }],
  [{ spec: { free: { any: ['thing', 1] } } }],
  [containers({ name: 'a' }, { name: 'b', ports: [{ port: 80 }, { port: 80, protocol: 'UDP' }] })],
])('%j fits the type', (object) => expect(validationErrors(widget, object as never)).toBeUndefined())

test('at most 100 errors are reported', () => {
  const hosts = Array.from({ length: 10_000 }, () => 1)
  expect(validationErrors(widget, { spec: { hosts } })?.split('\n')).toHaveLength(101)
})
