import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Body, Room, streamBody } from './body.ts'

const chunkBytes = 256 * 1024

/** Returns an endless source of chunks, and whether it was closed. */
function endless(): { readonly source: Iterator<Uint8Array>; readonly isOver: () => boolean } {
  let over = false
  const source: Iterator<Uint8Array> = {
    next: () => ({ done: false, value: new Uint8Array(chunkBytes) }),
    return: () => {
      over = true
      return { done: true, value: undefined }
    },
  }
  return { source, isOver: () => over }
}

function readerOf({ content }: Body): ReadableStreamDefaultReader<Uint8Array> {
  if (!(content instanceof ReadableStream)) throw new Error('no stream')
  return content.getReader()
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('the list response of a client that does not read for 60 seconds in all is aborted', async () => {
  const { source, isOver } = endless()
  const reader = readerOf(await streamBody(source))
  await reader.read()
  await vi.advanceTimersByTimeAsync(40_000)
  await reader.read()
  await vi.advanceTimersByTimeAsync(19_000)
  expect(isOver()).toBe(false)
  await reader.read()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(isOver()).toBe(true)
  await expect(reader.read()).rejects.toThrow('the client does not read its answer')
})

test('a list response that the Worker converts is not aborted during the conversion', async () => {
  const { source, isOver } = endless()
  const reader = readerOf(await streamBody(source, { relayed: true }))
  await reader.read()
  await vi.advanceTimersByTimeAsync(100_000)
  expect(isOver()).toBe(false)
  expect((await reader.read()).value?.byteLength).toBe(chunkBytes)
  await reader.cancel()
  expect(isOver()).toBe(true)
})

test('lists that read many texts wait for one another, even before their first chunk', async () => {
  const rooms = [new Room(), new Room(), new Room()]
  const begun: number[] = []
  const reads = rooms.map(async (room, index) => {
    await room.read(chunkBytes)
    await room.read(64 * 1024 * 1024)
    begun.push(index)
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toEqual([0, 1])
  rooms[0]?.release()
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toEqual([0, 1, 2])
  await Promise.all(reads)
  for (const room of rooms) room.release()
})

test('429 TooManyRequests for a list without memory, which leaves no reservation', async () => {
  const holding = [new Room(), new Room()]
  for (const room of holding) await room.take(0)
  const { source, isOver } = endless()
  const refused = streamBody(source, { room: new Room() }).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(16_000)
  expect(await refused).toMatchObject({ code: 429, reason: 'TooManyRequests' })
  expect(isOver()).toBe(true)
  for (const room of holding) room.release()
  await new Room().take(0)
})
