import { describe, expect, test } from 'vitest'
import { expectLinear } from '../../../test/linear.ts'
import { type EventSplitter, frameSplitter, lineSplitter } from './event-splitter.ts'

const framed = (texts: readonly string[]): Uint8Array =>
  Buffer.concat(
    texts.map((text) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(Buffer.byteLength(text))
      return Buffer.concat([length, Buffer.from(text)])
    }),
  )

function* piecesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size)
}

function split(bytes: Uint8Array, size: number, splitter: EventSplitter): string[] {
  return [...piecesOf(bytes, size)].flatMap((piece) => splitter(piece).map((message) => Buffer.from(message).toString()))
}

const texts = ['{"type":"ADDED"}', '{"é":"ü"}', 'x'.repeat(300), '{}']

describe.each([1, 2, 3, 5, 17, 1000])('watch events over a WebSocket, in pieces of %i bytes', (size) => {
  test('lines of JSON, without the empty lines of heartbeats', () => {
    const lines = texts.map((text) => `${text}\n`)
    expect(split(Buffer.from(`\n${lines.join('\n')}\n\n{"incomplete`), size, lineSplitter())).toEqual(lines)
  })

  test('frames of protobuf, with empty ones', () => {
    const all = ['', ...texts, '', '']
    expect(split(framed([...all, 'incomplete']).subarray(0, -1), size, frameSplitter())).toEqual(all)
  })
})

describe('watch events over a WebSocket take linear time', () => {
  test.each([
    ['JSON', lineSplitter, (text: string) => Buffer.from(`${text}\n`)],
    ['protobuf', frameSplitter, (text: string) => framed([text])],
  ])('in %s', (_what, splitter, encode) => {
    expectLinear((size) => {
      const bytes = encode('x'.repeat(size))
      return () => {
        const push = splitter()
        for (const piece of piecesOf(bytes, 64)) push(piece)
      }
    }, 100_000)
  })
})
