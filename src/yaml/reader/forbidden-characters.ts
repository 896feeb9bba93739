/** Characters and bytes that a YAML stream must not contain, with Go's messages. */

/** Encoding errors. Each is represented in the text by a lone surrogate, which valid UTF-8 cannot contain. */
const utf8Mistakes = [
  'invalid leading UTF-8 octet',
  'invalid trailing UTF-8 octet',
  'incomplete UTF-8 octet sequence',
  'invalid length of a UTF-8 sequence',
  'invalid Unicode character',
] as const

export type Utf8Mistake = (typeof utf8Mistakes)[number]

const firstMark = 0xdc00

/** Returns the character that represents the error in the text. */
export const charOfError = (mistake: Utf8Mistake): string => String.fromCharCode(firstMark + utf8Mistakes.indexOf(mistake))

/** Returns the message for a forbidden character. */
export const forbiddenCharacterError = (code: number): string =>
  utf8Mistakes[code - firstMark] ?? 'control characters are not allowed'
