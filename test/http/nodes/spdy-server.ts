/** The server's side of SPDY/3.1 for tests: streams with the header `streamtype`, as a kubelet gets them. */
import type { Duplex } from 'node:stream'
import { constants, createInflate } from 'node:zlib'

/** An open connection. */
export interface SpdyServer {
  /** The types of the streams, in the order in which they were opened. */
  readonly streams: readonly string[]
  /** Calls back for data and the end of a stream. */
  onData(handle: (stream: string, data: Buffer, isFinal: boolean) => void): void
  /** Sends data, or ends a stream. */
  send(stream: string, data: string, isFinal?: boolean): void
  close(): void
}

/** Returns the name/value pairs of a header block. */
function pairsIn(block: Buffer): Record<string, string> {
  let at = 4
  const next = (): string => {
    const length = block.readUInt32BE(at)
    at += 4 + length
    return block.subarray(at - length, at).toString()
  }
  return Object.fromEntries(Array.from({ length: block.readUInt32BE(0) }, () => [next(), next()]))
}

/** Speaks SPDY on a connection that has been upgraded. @param first what has already been read */
export function serveSpdy(socket: Duplex, first: Buffer): SpdyServer {
  const names = new Map<number, string>()
  const waiting: number[] = []
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH })
  inflate.on('data', (block: Buffer) => names.set(waiting.shift() ?? 0, pairsIn(block).streamtype ?? ''))
  const handlers: ((stream: string, data: Buffer, isFinal: boolean) => void)[] = []
  let rest: Buffer = Buffer.alloc(0)
  const take = (part: Buffer): void => {
    rest = Buffer.concat([rest, part])
    while (rest.length >= 8 && rest.length >= 8 + rest.readUIntBE(5, 3)) {
      const [id, flags, length] = [rest.readUInt32BE(0), rest.readUInt8(4), rest.readUIntBE(5, 3)]
      const content = rest.subarray(8, 8 + length)
      rest = rest.subarray(8 + length)
      if (id === 0x80030001) {
        waiting.push(content.readUInt32BE(0))
        inflate.write(content.subarray(10))
      } else if (id < 0x80000000) {
        // The header blocks before it have been read by then.
        inflate.flush(() => {
          for (const handle of handlers) handle(names.get(id) ?? '', content, (flags & 1) === 1)
        })
      }
    }
  }
  take(first)
  socket.on('data', take)
  socket.on('error', () => undefined)
  return {
    get streams() {
      return [...names.values()]
    },
    onData: (handle) => void handlers.push(handle),
    send(stream, data, isFinal = false) {
      const [id = 0] = [...names].find(([, name]) => name === stream) ?? []
      const head = Buffer.alloc(8)
      head.writeUInt32BE(id, 0)
      head.writeUInt8(isFinal ? 1 : 0, 4)
      head.writeUIntBE(Buffer.byteLength(data), 5, 3)
      socket.write(Buffer.concat([head, Buffer.from(data)]))
    },
    close: () => void socket.destroy(),
  }
}
