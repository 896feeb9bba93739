/**
 * Decodes the bytes of a body to text. JSON keeps a byte order mark, which Go refuses later, and reads invalid UTF-8 as U+FFFD,
 * as Go does. YAML refuses invalid UTF-8: each mistake becomes the lone surrogate that yaml/reader/forbidden-characters.ts assigns to it.
 */

import type { MediaType } from '../../encoding/media-type.ts'
import { decodeUtf8 } from '../../go/utf8.ts'
import { charOfError, type Utf8Mistake } from '../../yaml/reader/forbidden-characters.ts'
import type { PatchType } from './content-type.ts'

const exact = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** Returns the number of bytes of a character by its first byte; 0 if no character begins with this byte. */
function widthOf(byte: number): number {
  if (byte < 0x80) return 1
  if (byte >= 0xc0 && byte < 0xe0) return 2
  if (byte >= 0xe0 && byte < 0xf0) return 3
  return byte >= 0xf0 && byte < 0xf8 ? 4 : 0
}

/** The smallest code point that needs so many bytes. */
const least = [0, 0, 0x80, 0x800, 0x10000]

/**
 * Returns the mistake in the UTF-8 sequence at this position, or undefined if it is valid. Follows yaml_parser_update_buffer of
 * go.yaml.in/yaml/v2.
 */
function mistakeAt(bytes: Uint8Array, at: number, width: number): Utf8Mistake | undefined {
  if (width === 0) return 'invalid leading UTF-8 octet'
  if (at + width > bytes.length) return 'incomplete UTF-8 octet sequence'
  let code = (bytes[at] ?? 0) & (width === 1 ? 0x7f : 0xff >> (width + 1))
  for (let next = at + 1; next < at + width; next++) {
    const octet = bytes[next] ?? 0
    if ((octet & 0xc0) !== 0x80) return 'invalid trailing UTF-8 octet'
    code = (code << 6) | (octet & 0x3f)
  }
  if (code < (least[width] ?? 0)) return 'invalid length of a UTF-8 sequence'
  return (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff ? 'invalid Unicode character' : undefined
}

/** Decodes the bytes up to the first mistake and appends its mark: the YAML reader does not read further. */
function markedText(bytes: Uint8Array): string {
  for (let at = 0; at < bytes.length; ) {
    const width = widthOf(bytes[at] ?? 0)
    const mistake = mistakeAt(bytes, at, width)
    if (mistake !== undefined) return exact.decode(bytes.subarray(0, at)) + charOfError(mistake)
    at += width
  }
  return exact.decode(bytes)
}

/** The media types of bodies that are text, without protobuf and CBOR. */
export type TextType = MediaType | PatchType

/** Decodes the body of a request with this media type to text. Never throws: YAML mistakes are reported by the YAML reader. */
export function bodyText(bytes: Uint8Array, mediaType: TextType): string {
  const text = decodeUtf8(bytes)
  const mayBeWrong = mediaType.endsWith('yaml') && text.includes('\ufffd')
  return mayBeWrong ? markedText(bytes) : text
}
