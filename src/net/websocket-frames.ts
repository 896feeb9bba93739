/** The frames of WebSockets, from the client's side (RFC 6455, sections 4 and 5). */
import { createHash, randomBytes } from 'node:crypto'
import { PartReader } from './part-reader.ts'
import { joined } from './tls/bytes.ts'

/** The kinds of frames. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** A received frame. */
export interface Frame {
  readonly opcode: number
  /** Whether the message ends with it. */
  readonly isFinal: boolean
  readonly data: Uint8Array
}

/** The maximum length of a message that is received, and so of each of its frames. */
export const longestMessage = 32 * 1024 * 1024
const encoder = new TextEncoder()

/** Returns the key of a new handshake. */
export const newKey = (): string => randomBytes(16).toString('base64')

/** Returns the proof that a server has understood the handshake with this key. */
export const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

function lengthBytes(length: number): number[] {
  if (length < 126) return [0x80 | length]
  if (length < 0x10000) return [0x80 | 126, length >> 8, length & 0xff]
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(length))
  return [0x80 | 127, ...bytes]
}

/** Returns a masked frame with a whole message. */
function frame(opcode: number, data: Uint8Array): Uint8Array {
  const mask = randomBytes(4)
  const masked = data.map((byte, at) => byte ^ (mask[at & 3] ?? 0))
  return joined([0x80 | opcode], lengthBytes(data.length), mask, masked)
}

/** Returns the frame of a message. */
export const dataFrame = (data: string | ArrayBuffer): Uint8Array =>
  typeof data === 'string' ? frame(opcodes.text, encoder.encode(data)) : frame(opcodes.binary, new Uint8Array(data))

/** Returns the response to a ping. */
export const pongFrame = (data: Uint8Array): Uint8Array => frame(opcodes.pong, data)

/** Codes that are only told to programs, and never sent. */
const unsent: ReadonlySet<number> = new Set([1005, 1006, 1015])

/** Returns the frame that ends the connection. */
export const closeFrame = (code: number, reason: string): Uint8Array =>
  frame(opcodes.close, unsent.has(code) ? new Uint8Array() : joined([code >> 8, code & 0xff], encoder.encode(reason)))

/** Reads the length of a frame's data, of which the head has told the first part. @returns undefined at the end */
async function lengthOf(reader: PartReader, short: number): Promise<number | undefined> {
  if (short < 126) return short
  const bytes = await reader.all(short === 126 ? 2 : 8)
  return bytes?.reduce((length, byte) => length * 256 + byte, 0)
}

/**
 * Reads the frames of a server.
 * @throws Error for a frame that is masked or too long
 */
export async function* frames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const reader = new PartReader(bytes)
  for (let head = await reader.all(2); head !== undefined; head = await reader.all(2)) {
    const [first = 0, second = 0] = head
    const length = await lengthOf(reader, second & 0x7f)
    if (length === undefined) return
    if ((second & 0x80) !== 0 || length > longestMessage) throw new Error('a frame that no server may send')
    const data = await reader.all(length)
    if (data === undefined) return
    yield { opcode: first & 0x0f, isFinal: (first & 0x80) !== 0, data }
  }
}
