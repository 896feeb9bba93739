import { expect, test } from 'vitest'
import { validationErrors } from '../apply/validate.ts'
import type { JsonSchema } from './json-schema.ts'
import { typeOfObjects } from './type.ts'

const schema = (a: JsonSchema): JsonSchema => ({ type: 'object', properties: { a } })

test.each<[JsonSchema, unknown, string | undefined]>([
  [{ type: 'string', format: 'date-time' }, [], '.a: expected any scalar, got &{[]}'],
  [{ type: 'string', format: 'mac' }, { b: 1 }, '.a: expected any scalar, got &{map[b:1]}'],
  [{ type: 'array', items: { type: 'string', format: 'email' } }, [['x']], '.a[0]: expected any scalar, got &{[x]}'],
  [{ type: 'string', format: 'uuid' }, 5, undefined],
  [{ type: 'string', format: 'byte' }, 5, '.a: expected string, got &value.valueUnstructured{Value:5}'],
  [{ 'x-kubernetes-int-or-string': true }, [], undefined],
])('an applied custom resource whose field has the schema %j and the value %j', (given, a, complaint) => {
  expect(validationErrors(typeOfObjects(schema(given)), { a } as never)).toBe(complaint)
})
