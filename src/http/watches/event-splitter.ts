/** Finds the events of a watch in the pieces of its stream. Each byte is copied a fixed number of times, whatever the pieces are. */
import { frameLength } from '../../protobuf/watch-event.ts'

const newline = 0x0a

/** Returns the events that a piece completes, without their separators. An incomplete event is kept until its end comes. */
export type EventSplitter = (piece: Uint8Array) => readonly (string | Uint8Array)[]

/** Splits lines of JSON. Empty lines, which keep an HTTP connection alive, are left out. */
export function lineSplitter(): EventSplitter {
  let begun: Uint8Array[] = []
  return (piece) => {
    const messages: string[] = []
    let start = 0
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, start)) {
      begun.push(piece.subarray(start, end + 1))
      const line = begun.length === 1 ? begun[0] : Buffer.concat(begun)
      if (line !== undefined && line.byteLength > 1)
        messages.push(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString())
      begun = []
      start = end + 1
    }
    if (start < piece.byteLength) begun.push(piece.subarray(start))
    return messages
  }
}

/** Splits events in protobuf, each of which has its length in front. */
export function frameSplitter(): EventSplitter {
  let begun: Uint8Array[] = []
  let size = 0
  /** The number of bytes that complete the length or the frame that has begun: nothing is joined before they are there. */
  let wanted = frameLength
  return (piece) => {
    begun.push(piece)
    size += piece.byteLength
    if (size < wanted) return []
    const bytes = begun.length === 1 ? piece : Buffer.concat(begun)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const messages: Uint8Array[] = []
    let start = 0
    wanted = frameLength
    while (start + wanted <= bytes.byteLength) {
      if (wanted === frameLength) wanted += view.getUint32(start)
      if (start + wanted > bytes.byteLength) break
      messages.push(bytes.subarray(start + frameLength, start + wanted))
      start += wanted
      wanted = frameLength
    }
    begun = start === bytes.byteLength ? [] : [bytes.subarray(start)]
    size = bytes.byteLength - start
    return messages
  }
}
