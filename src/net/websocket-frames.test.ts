import fc from 'fast-check'
import { expect, test } from 'vitest'
import { acceptOf, dataFrame, type Frame, frames } from './websocket-frames.ts'

/** Removes the mask of a client's frame, as a server would send it. */
function unmasked(frame: Uint8Array): Uint8Array {
  const short = (frame[1] ?? 0) & 0x7f
  const head = short < 126 ? 2 : short === 126 ? 4 : 10
  const mask = frame.subarray(head, head + 4)
  const data = frame.slice(head + 4).map((byte, at) => byte ^ (mask[at & 3] ?? 0))
  const start = frame.slice(0, head)
  start[1] = short
  return Buffer.concat([start, data])
}

async function read(bytes: Uint8Array, parts: readonly number[]): Promise<Frame[]> {
  async function* cut(): AsyncGenerator<Uint8Array> {
    let at = 0
    for (const part of parts) {
      yield bytes.subarray(at, at + part)
      at += part
    }
    yield bytes.subarray(at)
  }
  const found: Frame[] = []
  for await (const frame of frames(cut())) found.push(frame)
  return found
}

test('frames are read as they were written, wherever the bytes are cut', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 70_000 }), { maxLength: 4 }),
      fc.array(fc.nat(200)),
      async (all, parts) => {
        const bytes = Buffer.concat(all.map((data) => unmasked(dataFrame(data.slice().buffer as ArrayBuffer))))
        const found = await read(bytes, parts)
        expect(found.map(({ data }) => Buffer.from(data))).toEqual(all.map((data) => Buffer.from(data)))
        expect(found.every(({ opcode, isFinal }) => opcode === 2 && isFinal)).toBe(true)
      },
    ),
    { numRuns: 50 },
  ))

test('a masked frame of a server is an error, and so is one without end', async () => {
  await expect(read(dataFrame('a'), [])).rejects.toThrow('no server may send')
  await expect(read(Buffer.from([0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0]), [])).rejects.toThrow('no server may send')
})

test('the accept key is that of RFC 6455', () => {
  expect(acceptOf('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
})
