/** Bytes that are no UTF-8, in the words of Go's YAML reader (yaml_parser_update_buffer). */

/** By the highest bits of its first byte, how long a sequence is, and the lowest character that needs so many bytes. */
const leads: readonly { readonly mask: number; readonly bits: number; readonly width: number; readonly lowest: number }[] = [
  { mask: 0x80, bits: 0, width: 1, lowest: 0 },
  { mask: 0xe0, bits: 0xc0, width: 2, lowest: 0x80 },
  { mask: 0xf0, bits: 0xe0, width: 3, lowest: 0x800 },
  { mask: 0xf8, bits: 0xf0, width: 4, lowest: 0x10000 },
]

/** The width of the sequence at a place, or why there is none. */
function sequenceAt(bytes: Uint8Array, at: number): number | string {
  const first = bytes[at] ?? 0
  const lead = leads.find(({ mask, bits }) => (first & mask) === bits)
  if (lead === undefined) return 'invalid leading UTF-8 octet'
  if (at + lead.width > bytes.length) return 'incomplete UTF-8 octet sequence'
  let value = first & ~lead.mask
  for (const byte of bytes.subarray(at + 1, at + lead.width)) {
    if ((byte & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet'
    value = (value << 6) | (byte & 0x3f)
  }
  if (value < lead.lowest) return 'invalid length of a UTF-8 sequence'
  const isCharacter = (value < 0xd800 || value > 0xdfff) && value <= 0x10ffff
  return isCharacter ? lead.width : 'invalid Unicode character'
}

/** What is wrong with the first bytes that are no UTF-8; undefined where all are. */
export function utf8Problem(bytes: Uint8Array): string | undefined {
  for (let at = 0; at < bytes.length; ) {
    const width = sequenceAt(bytes, at)
    if (typeof width === 'string') return width
    at += width
  }
  return undefined
}
