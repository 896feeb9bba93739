import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../go/json-value.ts'
import { renderYaml } from '../yaml/write.ts'
import { indentedChunks } from './indent.ts'
import { yamlChunks, yamlListChunks } from './yaml.ts'

const decoder = new TextDecoder()

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

/** Cuts the bytes of a text into chunks of this length. */
function* cut(text: string, length: number): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length)
}

const values = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: fc.constantFrom('a', '"', '\\', ',', '[', '}', ':', 'é', '😀', '\n', ' ') }),
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'items', 'rows', 'k"', 'z'), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

const chunkLengths = fc.integer({ min: 1, max: 40 })

test('indented JSON does not depend on how the input is cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(values, chunkLengths, async (value, length) => {
      expect(await textOf(indentedChunks(cut(`${JSON.stringify(value)}\n`, length)))).toBe(JSON.stringify(value, null, 2))
    }),
  )
})

test('indented JSON keeps numbers and escapes as written', async () => {
  const text = '{"b":{"10":1.0,"9":[]},"a":[{"\\"}{":"\\u003c,:"},-1e3,true,null],"e":{}}\n'
  expect(await textOf(indentedChunks(cut(text, 7)))).toBe(
    '{\n  "b": {\n    "10": 1.0,\n    "9": []\n  },\n  "a": [\n    {\n      "\\"}{": "\\u003c,:"\n    },\n    -1e3,\n    true,\n    null\n  ],\n  "e": {}\n}',
  )
})

const frames = [
  (items: string) => `{"kind":"L","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":${items}}\n`,
  (items: string) => `{"apiVersion":"g/v1","items":${items},"kind":"L","metadata":{"continue":"","resourceVersion":"7"}}\n`,
  (items: string) =>
    `{"kind":"Table","apiVersion":"m/v1","metadata":{},"columnDefinitions":[{"name":"Name","items":[1]}],"rows":${items}}\n`,
]

test('a list streamed as YAML does not depend on how the input is cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(values, { maxLength: 5 }),
      fc.constantFrom(...frames),
      chunkLengths,
      async (items, frame, length) => {
        const json = frame(JSON.stringify(items))
        expect(await textOf(yamlListChunks(cut(json, length)))).toBe(renderYaml(JSON.parse(json) as JsonValue))
      },
    ),
  )
})

test.each([
  '{"kind":"Table","apiVersion":"m/v1","metadata":{},"columnDefinitions":null,"rows":null}\n',
  '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"causes":[{"items":[1]}]}}\n',
])('a list without objects, and a Status, are one YAML document: %s', async (json) => {
  expect(await textOf(yamlListChunks(cut(json, 5)))).toBe(renderYaml(JSON.parse(json) as JsonValue))
})

test('a long object is converted to YAML in several slices', async () => {
  const value = { data: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, 'a line of text\n'.repeat(100)])) }
  const lengths: number[] = []
  let text = ''
  for await (const chunk of yamlChunks(JSON.stringify(value))) {
    lengths.push(chunk.byteLength)
    text += decoder.decode(chunk)
  }
  expect(text).toBe(renderYaml(value))
  expect(Math.max(...lengths)).toBeLessThan(80_000)
})
