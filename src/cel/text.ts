/** Strings as sequences of code points, which CEL counts. */

const SURROGATE = /[\ud800-\udfff]/

/** Whether every character is one UTF-16 unit, so that indexes and lengths agree. */
export function isPlain(text: string): boolean {
  return !SURROGATE.test(text)
}

/** Returns the number of code points. */
export function codePointLength(text: string): number {
  if (isPlain(text)) return text.length
  let length = 0
  for (const _ of text) length++
  return length
}

/** Returns the code points, each as a string. */
export function codePoints(text: string): readonly string[] {
  return isPlain(text) ? text.split('') : [...text]
}

const encoder = new TextEncoder()

/** Encodes a text as UTF-8. */
export function utf8Bytes(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Decodes UTF-8; undefined if the bytes are invalid. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
