/** Decodes bytes that may not be valid UTF-8, as Go does. */

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** Matches a UTF-8 sequence in a byte string, or a byte that begins no sequence. */
const SEQUENCES =
  /[\0-\x7f]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|([\x80-\xff])/g

/** Decodes a byte string in which some bytes are not UTF-8: each of these becomes U+FFFD, as in encoding/json. */
export function replaceInvalid(latin1: string): string {
  const valid = latin1.replace(SEQUENCES, (all, invalid?: string) => (invalid === undefined ? all : '\xef\xbf\xbd'))
  return Buffer.from(valid, 'latin1').toString('utf8')
}

/** Decodes a body. A byte order mark is kept. */
export function decodeUtf8(bytes: Uint8Array): string {
  const text = decoder.decode(bytes)
  return text.includes('\ufffd') ? replaceInvalid(Buffer.from(bytes).toString('latin1')) : text
}
