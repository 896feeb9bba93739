import { expect, test } from 'vitest'
import { capnpMessage, listSegment, listSegmentOf, type Shape } from './capnp.ts'

const item: Shape = { words: 1, pointers: 1, fields: { name: { text: 0 }, on: { bit: 17 } } }
const root: Shape = {
  words: 1,
  pointers: 3,
  fields: { title: { text: 0 }, items: { list: 1, shape: item, tag: [2, 7] }, words: { texts: 2 } },
}
const hex = (parts: readonly Uint8Array[]): string =>
  Buffer.concat(parts)
    .toString('hex')
    .replace(/.{16}(?=.)/g, '$& ')

test('a struct, the tag of a union, a text and a list of structs', () => {
  // One segment of 12 words: pointer, data, three pointers, the text, the list's tag, two elements of two words, their texts.
  const message = capnpMessage(root, { title: 'hi', items: [{ name: 'a', on: true }, {}] })
  expect(hex(message)).toBe(
    [
      '000000000c000000',
      '0000000001000300',
      '0000070000000000',
      '090000001a000000',
      '0900000027000000',
      '0000000000000000',
      '6869000000000000',
      '0800000001000100',
      '0000020000000000',
      '0900000012000000',
      '0000000000000000',
      '0000000000000000',
      '6100000000000000',
    ].join(' '),
  )
})

test('a list in a segment of its own goes from one message to the next', () => {
  const items = listSegment(item, [{ name: 'a'.repeat(100_000) }], 0)
  const first = capnpMessage(root, { title: 'one', items })
  const second = capnpMessage(root, { title: 'another', items: listSegmentOf(Buffer.concat(first)) })
  expect(Buffer.from(listSegmentOf(Buffer.concat(second)).bytes).equals(Buffer.from(items.bytes))).toBe(true)
  expect(hex(second.slice(0, 2)).split(' ')[4]).toBe('0900000042000000')
})

test('a message with one segment has no list of its own segment; an unknown field is an error', () => {
  expect(() => listSegmentOf(Buffer.concat(capnpMessage(root, {})))).toThrow('two segments')
  expect(() => capnpMessage(root, { other: 'x' })).toThrow('no field other')
})
