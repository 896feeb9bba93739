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
