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

test('a zero value takes the default, another value stays', () => {
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

test('behind a pointer even a zero default is set, and a struct that is absent stays absent', () => {
  const { byName, not } = defaulted(
    '{"byName":{"a":{"livenessProbe":{"period":5,"grpc":{}}},"b":{"livenessProbe":{"period":5}}}}',
  )
  expect(byName).toMatchObject({ a: { livenessProbe: { grpc: { service: '' } } } })
  expect((byName as { b: JsonObject }).b.livenessProbe).toEqual({ period: 5 })
  expect(not).toBeUndefined()
})

test('the order of the fields stays the one in which Go writes them', () => {
  const object = defaulted('{"not":{"containers":[{"ports":[{"port":1,"host":"x"}]}]},"containers":[{"ports":[{"port":1}]}]}')
  expect(JSON.stringify(object)).toBe(JSON.stringify(decode(Thing, object).object))
})
