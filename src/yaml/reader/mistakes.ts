/** What a stream of YAML may not contain, and Go's words for it. */

/** Mistakes in the encoding, each standing in the text as a lone surrogate, which no text of UTF-8 contains. */
const utf8Mistakes = [
  'invalid leading UTF-8 octet',
  'invalid trailing UTF-8 octet',
  'incomplete UTF-8 octet sequence',
  'invalid length of a UTF-8 sequence',
  'invalid Unicode character',
] as const

export type Utf8Mistake = (typeof utf8Mistakes)[number]

const firstMark = 0xdc00

/** What stands in the text for the mistake. */
export const markOf = (mistake: Utf8Mistake): string => String.fromCharCode(firstMark + utf8Mistakes.indexOf(mistake))

/** What is wrong with a character that no stream may have. */
export const mistakeOf = (code: number): string => utf8Mistakes[code - firstMark] ?? 'control characters are not allowed'
