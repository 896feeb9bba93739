import { expect, test } from 'vitest'
import type { PathItem } from './model.ts'
import { WholeDocument } from './whole-document.ts'

function counted(): { readonly document: WholeDocument; readonly made: () => number } {
  let made = 0
  const paths = (): PathItem[] => {
    made++
    return []
  }
  return {
    document: new WholeDocument([{ name: 'apis/a', release: [1, 36], paths }], new Map(), async () => 'A'),
    made: () => made,
  }
}

test('concurrent requests for /openapi/v2 make the document once', async () => {
  const { document, made } = counted()
  const [first, second, third] = await Promise.all([
    document.compressed('json'),
    document.compressed('json'),
    document.bytes('json'),
  ])
  expect(made()).toBe(1)
  expect(second).toBe(first)
  expect(JSON.parse(new TextDecoder().decode(third))).toMatchObject({ swagger: '2.0', paths: {} })
})

test('a request after a failed one makes the /openapi/v2 document again', async () => {
  let fails = true
  const paths = (): PathItem[] => {
    if (fails) throw new Error('not now')
    return []
  }
  const document = new WholeDocument([{ name: 'apis/a', release: [1, 36], paths }], new Map(), async () => 'A')
  await expect(document.compressed('json')).rejects.toThrow('not now')
  fails = false
  expect((await document.compressed('json')).byteLength).toBeGreaterThan(0)
})
