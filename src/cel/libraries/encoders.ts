/** The library of base64: cel-go's encoders, which no environment of Kubernetes includes yet. */
import { canonicalBase64, encodeBase64 } from '../../schema/base64.ts'
import { bytesAt, orError, textAt } from '../arguments.ts'
import { declare, global } from '../declarations.ts'
import type { Library } from '../library.ts'
import type { Value } from '../value.ts'

/** Decodes base64 with or without padding. */
function decode(text: string): Value {
  const padded = text.includes('=') ? text : text.padEnd(Math.ceil(text.length / 4) * 4, '=')
  return Uint8Array.from(atob(canonicalBase64(padded)), (character) => character.charCodeAt(0))
}

export const ENCODERS: Library = {
  functions: [
    declare(
      'base64.decode',
      global('base64_decode_string', 'string', 'bytes', (args) => orError(() => decode(textAt(args, 0)))),
    ),
    declare(
      'base64.encode',
      global('base64_encode_bytes', 'bytes', 'string', (args) => encodeBase64([...bytesAt(args, 0)])),
    ),
  ],
}
