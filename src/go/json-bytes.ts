/**
 * Scans well-formed JSON in UTF-8 without white space as bytes, without decoding it: hundreds of texts of a megabyte would
 * accumulate in V8's heap. The bytes of characters beyond ASCII are 0x80 and above, so none of them is mistaken for a quote or
 * bracket.
 */
const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const comma = 0x2c

const decoder = new TextDecoder()

const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d

/** Returns the index of the closing quote of the string that begins at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let backslashes = 0
    while (bytes[end - 1 - backslashes] === backslash) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return bytes.length
}

/** Returns the index after the last byte of the value that begins at `start`. */
export function endOfValue(bytes: Uint8Array, start: number): number {
  let depth = 0
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (byte === quote) i = endOfString(bytes, i)
    else if (isOpening(byte)) depth++
    else if (isClosing(byte) && --depth < 0) return i
    else if (byte === comma && depth === 0) return i
    else continue
    if (depth === 0) return i + 1
  }
  return bytes.length
}

/** Decodes a part of the bytes. */
export const textOf = (bytes: Uint8Array, start: number, end: number): string => decoder.decode(bytes.subarray(start, end))

/** Returns the text of a value in which strings of more than `longest` bytes are empty. Keys of any length are kept. */
function shortened(bytes: Uint8Array, start: number, end: number, longest: number): string {
  let text = ''
  let kept = start
  for (let at = bytes.indexOf(quote, start); at >= 0 && at < end; ) {
    const close = endOfString(bytes, at)
    if (close - at > longest && bytes[close + 1] !== colon) {
      text += textOf(bytes, kept, at + 1)
      kept = close
    }
    at = bytes.indexOf(quote, close + 1)
  }
  return text + textOf(bytes, kept, end)
}

/** Returns the text of an object in which, in these members, strings of more than `longest` bytes are empty. */
export function withShortened(bytes: Uint8Array, members: ReadonlySet<string>, longest: number): string {
  let text = ''
  let kept = 0
  for (let at = 1; bytes[at] === quote; ) {
    const start = endOfString(bytes, at) + 2
    const end = endOfValue(bytes, start)
    if (members.has(textOf(bytes, at + 1, start - 2))) {
      text += textOf(bytes, kept, start) + shortened(bytes, start, end, longest)
      kept = end
    }
    at = end + 1
  }
  return text + textOf(bytes, kept, bytes.length)
}
