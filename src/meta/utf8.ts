/** Bytes that may not be UTF-8, as Go reads them. */

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** Sequences of UTF-8 in bytes that are shown as characters, and any byte that begins none. */
const SEQUENCES =
  /[\0-\x7f]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|([\x80-\xff])/g

/** The text of bytes, shown as characters, that are UTF-8 in parts: every byte that is none becomes U+FFFD, as encoding/json writes it. */
export function replaceInvalid(latin1: string): string {
  const valid = latin1.replace(SEQUENCES, (all, invalid?: string) => (invalid === undefined ? all : '\xef\xbf\xbd'))
  return Buffer.from(valid, 'latin1').toString('utf8')
}

/** The text of a body. A mark of the byte order stays. */
export function decodeUtf8(bytes: Uint8Array): string {
  const text = decoder.decode(bytes)
  return text.includes('\ufffd') ? replaceInvalid(Buffer.from(bytes).toString('latin1')) : text
}

/** How many bytes a sequence has, by its first byte; 0 for none that begins one. */
function widthOf(first: number): number {
  if (first < 0x80) return 1
  if ((first & 0xe0) === 0xc0) return 2
  if ((first & 0xf0) === 0xe0) return 3
  return (first & 0xf8) === 0xf0 ? 4 : 0
}

const leastOfWidth = [0, 0, 0x80, 0x800, 0x10000]

function faultOf(bytes: Uint8Array, at: number, width: number): string | undefined {
  if (width === 0) return 'invalid leading UTF-8 octet'
  if (at + width > bytes.length) return 'incomplete UTF-8 octet sequence'
  let code = (bytes[at] ?? 0) & (width === 1 ? 0x7f : 0xff >> (width + 1))
  for (const byte of bytes.subarray(at + 1, at + width)) {
    if ((byte & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet'
    code = (code << 6) | (byte & 0x3f)
  }
  if (code < (leastOfWidth[width] ?? 0)) return 'invalid length of a UTF-8 sequence'
  return (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff ? 'invalid Unicode character' : undefined
}

/** What go.yaml.in/yaml/v2 says of the first sequence that is no UTF-8; undefined where all are. */
export function utf8Fault(bytes: Uint8Array): string | undefined {
  for (let at = 0; at < bytes.length; ) {
    const width = widthOf(bytes[at] ?? 0)
    const fault = faultOf(bytes, at, width)
    if (fault !== undefined) return fault
    at += width
  }
  return undefined
}
