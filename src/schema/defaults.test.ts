import { expect, test } from 'vitest'
import { parseJson } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import { decode } from './decode.ts'
import { applyDefaults } from './defaults.ts'
import { Thing } from './tables.fixture.ts'

function defaulted(text: string): JsonObject {
  const { object } = decode(Thing, parseJson(text))
  applyDefaults(Thing, object)
  return object
}

test('a zero value gets the default, another value is kept', () => {
  const { containers } = defaulted('{"containers":[{"ports":[{"port":1},{"port":2,"protocol":""},{"port":3,"protocol":"UDP"}]}]}')
  expect(containers).toMatchObject([
    {
      ports: [
        { port: 1, protocol: 'TCP' },
        { port: 2, protocol: 'TCP' },
        { port: 3, protocol: 'UDP' },
      ],
    },
  ])
})

test('a pointer field gets even a zero default, and a nil struct stays nil', () => {
  const { byName, not } = defaulted(
    '{"byName":{"a":{"livenessProbe":{"period":5,"grpc":{}}},"b":{"livenessProbe":{"period":5}}}}',
  )
  expect(byName).toMatchObject({ a: { livenessProbe: { grpc: { service: '' } } } })
  expect((byName as { b: JsonObject }).b.livenessProbe).toEqual({ period: 5 })
  expect(not).toBeUndefined()
})

test("defaulted fields are in Go's encoding order", () => {
  const object = defaulted('{"not":{"containers":[{"ports":[{"port":1,"host":"x"}]}]},"containers":[{"ports":[{"port":1}]}]}')
  expect(JSON.stringify(object)).toBe(JSON.stringify(decode(Thing, object).object))
})
