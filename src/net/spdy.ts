/**
 * The frames of SPDY/3.1, from the client's side, as far as kubelets use it: streams within one connection, without flow control.
 * Follows github.com/moby/spdystream.
 */
import { PartReader } from './part-reader.ts'
import { joined } from './tls/bytes.ts'

const types = { synStream: 1, reset: 3, ping: 6, goAway: 7 } as const
const finalFlag = 1
const headBytes = 8
/** The longest content of a frame that is sent. */
const longestContent = 1024 * 1024

/** A received frame. Frames of other types are skipped. */
export type SpdyFrame =
  | { readonly kind: 'data'; readonly stream: number; readonly data: Uint8Array; readonly isFinal: boolean }
  | { readonly kind: 'reset'; readonly stream: number }
  /** It must be sent back. */
  | { readonly kind: 'ping'; readonly frame: Uint8Array }
  | { readonly kind: 'goAway' }

const number32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff]

const numberAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) * 0x1000000 + (((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0))

/** Returns the head of a frame. @param first stream, or version and type */
const head = (first: number, flags: number, length: number): number[] => [
  ...number32(first),
  flags,
  (length >>> 16) & 0xff,
  (length >>> 8) & 0xff,
  length & 0xff,
]

const controlFrame = (type: number, content: Uint8Array): Uint8Array =>
  joined(head(0x80030000 + type, 0, content.length), content)

const text = (value: string): Uint8Array => {
  const bytes = new TextEncoder().encode(value)
  return joined(number32(bytes.length), bytes)
}

const storedBlock = (data: Uint8Array): Uint8Array => {
  const { length } = data
  return joined([0, length & 0xff, length >>> 8, ~length & 0xff, (~length >>> 8) & 0xff], data)
}

/** A zlib stream begins with it. */
const zlibHead: readonly number[] = [0x78, 0x01]

/**
 * Returns a block of headers. All blocks of a connection are one zlib stream; these are stored without compression, and each ends
 * with an empty block so that the reader need not wait.
 */
function headerBlock(headers: Readonly<Record<string, string>>, isFirst: boolean): Uint8Array {
  const entries = Object.entries(headers)
  const content = joined(number32(entries.length), ...entries.flatMap(([name, value]) => [text(name), text(value)]))
  return joined(isFirst ? zlibHead : [], storedBlock(content), storedBlock(new Uint8Array()))
}

/**
 * Returns the frame that opens a stream.
 * @param stream odd, 1 for the first stream of the connection
 * @param headers short; their names in lower case
 */
export function openFrame(stream: number, headers: Readonly<Record<string, string>>): Uint8Array {
  const priority = [0, 0]
  return controlFrame(types.synStream, joined(number32(stream), number32(0), priority, headerBlock(headers, stream === 1)))
}

/** Returns the frames of data, of which the last may be the last one of the stream. */
export function dataFrames(stream: number, data: Uint8Array, isFinal: boolean): Uint8Array {
  const frames: Uint8Array[] = []
  for (let at = 0; at === 0 || at < data.length; at += longestContent) {
    const part = data.subarray(at, at + longestContent)
    const isLast = at + longestContent >= data.length
    frames.push(joined(head(stream, isFinal && isLast ? finalFlag : 0, part.length), part))
  }
  return joined(...frames)
}

/** The longest control frame that is received: headers of a reply. */
const longestControl = 64 * 1024

function controlOf(type: number, content: Uint8Array): SpdyFrame | undefined {
  if (type === types.reset) return { kind: 'reset', stream: numberAt(content, 0) & 0x7fffffff }
  if (type === types.ping) return { kind: 'ping', frame: controlFrame(types.ping, content) }
  return type === types.goAway ? { kind: 'goAway' } : undefined
}

/**
 * Reads the frames of a server. Data is yielded as it arrives, and not only when its frame is complete.
 * @throws Error for a control frame that is too long
 */
export async function* spdyFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SpdyFrame> {
  const reader = new PartReader(bytes)
  for (let found = await reader.all(headBytes); found !== undefined; found = await reader.all(headBytes)) {
    const [first, flags, length] = [numberAt(found, 0), found[4] ?? 0, numberAt(found, 4) & 0xffffff]
    if (first >= 0x80000000) {
      if (length > longestControl) throw new Error('a control frame that is too long')
      const content = await reader.all(length)
      const frame = content && controlOf(first & 0xffff, content)
      if (frame !== undefined) yield frame
      continue
    }
    const isFinal = (flags & finalFlag) !== 0
    if (length === 0) yield { kind: 'data', stream: first, data: new Uint8Array(), isFinal }
    for (let left = length; left > 0; ) {
      const data = await reader.some(left)
      if (data === undefined) return
      left -= data.length
      yield { kind: 'data', stream: first, data, isFinal: isFinal && left === 0 }
    }
  }
}
