/** Writes watch events: a WatchEvent without an envelope, with its length in front. Follows meta/v1.WatchEvent. */
import type { Writer } from './writer.ts'

/** The size of the length in bytes. */
export const frameLength = 4

/** Writes an event. `write` writes the object with its envelope. */
export function writeWatchEvent(writer: Writer, type: string, write: () => void): void {
  const behind = writer.length
  write()
  // The object is a RawExtension: its bytes are field 1 of a message, which is field 2 of the event.
  for (const tag of [0x0a, 0x12]) {
    writer.writeVarint(writer.length - behind)
    writer.writeByte(tag)
  }
  writer.writeText(type)
  writer.writeByte(0x0a)
  const length = writer.length - behind
  for (let shift = 0; shift < 8 * frameLength; shift += 8) writer.writeByte((length >>> shift) & 0xff)
}
