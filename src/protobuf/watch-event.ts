/** Events of a watch: a WatchEvent without an envelope, in front of which stands its length. Follows meta/v1.WatchEvent. */
import type { Writer } from './writer.ts'

/** How many bytes tell the length of what follows. */
export const frameLength = 4

/** Writes an event. `write` writes the object, with the envelope around it. */
export function writeWatchEvent(writer: Writer, type: string, write: () => void): void {
  const behind = writer.length
  write()
  // The object is a RawExtension: its bytes are the one field of a message that is the second field of the event.
  for (const tag of [0x0a, 0x12]) {
    writer.writeVarint(writer.length - behind)
    writer.writeByte(tag)
  }
  writer.writeText(type)
  writer.writeByte(0x0a)
  const length = writer.length - behind
  for (let shift = 0; shift < 8 * frameLength; shift += 8) writer.writeByte((length >>> shift) & 0xff)
}
