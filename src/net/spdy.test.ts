import { once } from 'node:events'
import { constants, createInflate } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dataFrames, openFrame, type SpdyFrame, spdyFrames } from './spdy.ts'

async function read(...parts: readonly Uint8Array[]): Promise<SpdyFrame[]> {
  const found: SpdyFrame[] = []
  for await (const frame of spdyFrames(
    (async function* () {
      yield* parts
    })(),
  )) {
    found.push(frame)
  }
  return found
}

test('header blocks of all streams are one zlib stream, each readable at once', async () => {
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH })
  for (const [stream, name] of [
    [1, 'error'],
    [3, 'stdout'],
  ] as const) {
    const frame = openFrame(stream, { streamtype: name })
    expect([...frame.subarray(0, 4)]).toEqual([0x80, 3, 0, 1])
    inflate.write(frame.subarray(8 + 10))
    const [block] = (await once(inflate, 'data')) as [Buffer]
    expect(block.readUInt32BE(0)).toBe(1)
    expect(block.subarray(8, 18).toString()).toBe('streamtype')
    expect(block.subarray(22).toString()).toBe(name)
  }
})

/** Joins the data of a stream. */
const dataOf = (frames: readonly SpdyFrame[]): Uint8Array =>
  Buffer.concat(frames.map((frame) => (frame.kind === 'data' ? frame.data : new Uint8Array())))

test('data arrives in any division of the bytes, and its end with the last part', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.nat(400), async (data, at) => {
      const bytes = dataFrames(5, data, true)
      const frames = await read(bytes.subarray(0, at), bytes.subarray(at))
      expect([...dataOf(frames)]).toEqual([...data])
      expect(frames.map((frame) => frame.kind === 'data' && frame.isFinal).lastIndexOf(true)).toBe(frames.length - 1)
      expect(frames.filter((frame) => frame.kind === 'data' && frame.isFinal)).toHaveLength(1)
    }),
  )
})

test('long data is sent in several frames', async () => {
  const data = new Uint8Array(2_500_000).fill(7)
  const bytes = dataFrames(1, data, true)
  expect(bytes.length).toBe(data.length + 3 * 8)
  expect(Buffer.compare(dataOf(await read(bytes)), data)).toBe(0)
})

test('a control frame above 64 KiB is refused', async () => {
  await expect(read(Uint8Array.of(0x80, 3, 0, 2, 0, 2, 0, 0, 0))).rejects.toThrow('too long')
})

test('a ping is to be sent back as it is; settings are skipped', async () => {
  const ping = Uint8Array.of(0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 2)
  const settings = Uint8Array.of(0x80, 3, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0)
  const reset = Uint8Array.of(0x80, 3, 0, 3, 0, 0, 0, 8, 0, 0, 0, 7, 0, 0, 0, 1)
  expect(await read(settings, ping, reset)).toEqual([
    { kind: 'ping', frame: ping },
    { kind: 'reset', stream: 7 },
  ])
})
