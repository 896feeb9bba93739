/** Resolves the types of YAML scalars: text, number, boolean or null. Follows go.yaml.in/yaml/v2 (YAML 1.1 without base 60). */
import type { Node, ScalarNode } from './node.ts'
import { YamlSyntaxError } from './source.ts'

const tagPrefix = 'tag:yaml.org,2002:'

/**
 * A scalar with its type. An integer that a number cannot hold exactly is a bigint. A timestamp is a text, as for Go decoders of
 * untyped values.
 */
export type Scalar =
  | { readonly type: 'str' | 'timestamp'; readonly value: string }
  | { readonly type: 'int'; readonly value: number | bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'null'; readonly value: null }

const words = new Map<string, Scalar>()
const cased = (word: string): string[] => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()]
for (const word of ['y', 'yes', 'true', 'on'].flatMap(cased)) words.set(word, { type: 'bool', value: true })
for (const word of ['n', 'no', 'false', 'off'].flatMap(cased)) words.set(word, { type: 'bool', value: false })
for (const word of ['', '~', ...cased('null')]) words.set(word, { type: 'null', value: null })
for (const word of ['.nan', '.NaN', '.NAN']) words.set(word, { type: 'float', value: Number.NaN })
for (const word of ['.inf', '.Inf', '.INF']) {
  words.set(word, { type: 'float', value: Number.POSITIVE_INFINITY })
  words.set(`+${word}`, { type: 'float', value: Number.POSITIVE_INFINITY })
  words.set(`-${word}`, { type: 'float', value: Number.NEGATIVE_INFINITY })
}

/**
 * The first characters of words with a special meaning. A text that begins with another character, and not like a number, is a
 * string.
 */
const wordBeginnings: ReadonlySet<number> = new Set([...'yYnNtTfFoO~'].map((character) => character.charCodeAt(0)))
const isNumberBeginning = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e

/** Digits that are an integer under all rules, for a fast path. */
const plainDigits = /^[1-9][0-9]{0,14}$/

const maximumInt64 = 2n ** 63n - 1n
const maximumUint64 = 2n ** 64n - 1n

/** An integer with a sign and the prefix of its base: `0x`, `0o`, `0b`, `0`. */
const integer = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/
/** Go also accepts a sign after `0b`. */
const signedBinary = /^0b([-+])([01]+)$/
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
/** The maximum length of an integer: longer texts exceed 64 bits in every base, apart from leading zeros. */
const maximumDigits = 80

/** Returns the integer if it fits 64 bits: an int64, or a uint64 without a sign. */
function integerOf(sign: string, digits: string): bigint | undefined {
  const significant = digits.replace(/^(0[xXoObB]?)0*(?=[0-9a-fA-F])/, '$1')
  if (significant.length > maximumDigits) return undefined
  const magnitude = BigInt(/^0[0-7]/.test(significant) ? `0o${significant.slice(1)}` : significant)
  if (sign === '-') return magnitude <= maximumInt64 + 1n ? -magnitude : undefined
  return magnitude <= (sign === '' ? maximumUint64 : maximumInt64) ? magnitude : undefined
}

/** Matches misplaced underscores: without digits before the point, underscores must be between digits. */
const misplacedUnderscore = /^\.(?:_|.*(?:\D_|_\D|_$))/

function numberOf(text: string): Scalar | undefined {
  if (misplacedUnderscore.test(text)) return undefined
  const plain = text.replaceAll('_', '')
  const whole = integer.exec(plain) ?? signedBinary.exec(plain)
  if (whole !== null) {
    const [, sign = '', digits = ''] = whole
    const value = integerOf(sign, plain.startsWith('0b') ? `0b${digits.replace(/^0b/, '')}` : digits)
    if (value !== undefined) return { type: 'int', value: Number.isSafeInteger(Number(value)) ? Number(value) : value }
  }
  if (!float.test(plain)) return undefined
  const value = Number(plain)
  return Number.isFinite(value) ? { type: 'float', value } : undefined
}

const timestamp =
  /^[0-9]{4}-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2}))|(?: ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?))?$/

/** Whether the text is a timestamp. */
function isTimestamp(text: string): boolean {
  const found = timestamp.exec(text)
  if (found === null) return false
  const [month = 0, day = 0, ...clock] = found.slice(1).map((digits) => (digits === undefined ? 0 : Number(digits)))
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), month, 0)).getUTCDate()
  const [hour = 0, minute = 0, second = 0, hourBehindSpace = 0, minuteBehindSpace = 0, secondBehindSpace = 0] = clock
  const inDay =
    hour < 24 && minute < 60 && second < 60 && hourBehindSpace < 24 && minuteBehindSpace < 60 && secondBehindSpace < 60
  return month >= 1 && month <= 12 && day >= 1 && day <= days && inDay
}

/** Resolves a text by its content. */
function implied(text: string, tag: string): Scalar {
  const code = text.charCodeAt(0)
  const isNumber = isNumberBeginning(code)
  if (tag === 'str' || (text !== '' && !isNumber && !wordBeginnings.has(code))) return { type: 'str', value: text }
  if (plainDigits.test(text)) return { type: 'int', value: Number(text) }
  const word = words.get(text)
  if (word !== undefined) return word
  if (tag === 'timestamp' && isTimestamp(text)) return { type: 'timestamp', value: text }
  return (isNumber ? numberOf(text) : undefined) ?? { type: 'str', value: text }
}

/** Returns the type of a text without quotes and tag. */
export const impliedType = (text: string): Scalar['type'] => implied(text, 'timestamp').type

const knownTags: ReadonlySet<string> = new Set(['str', 'bool', 'int', 'float', 'null', 'timestamp'])

/** Decodes UTF-8; each invalid byte is replaced, as in Go. */
function textOf(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const decoded = (from: number, length: number): string | undefined => {
    try {
      return decoder.decode(bytes.subarray(from, from + length))
    } catch {
      return undefined
    }
  }
  const whole = decoded(0, bytes.length)
  if (whole !== undefined) return whole
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    const character = decoded(at, length)
    text += character ?? '\ufffd'
    at += character === undefined ? 1 : length
  }
  return text
}

/** Decodes base64 as Go does. */
function binary(text: string): string {
  const digits = text.replaceAll(/[\r\n]/g, '')
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) {
    throw new YamlSyntaxError('yaml: !!binary value contains invalid base64 data')
  }
  return textOf(Uint8Array.from(atob(digits), (character) => character.charCodeAt(0)))
}

/**
 * Resolves a text with a tag.
 * @param tag the full tag; '' if the node has no tag
 * @throws YamlSyntaxError if the text is not of the tag's type
 */
function resolve(tag: string, text: string): Scalar {
  if (tag === '') return implied(text, tag)
  const name = tag.startsWith(tagPrefix) ? tag.slice(tagPrefix.length) : undefined
  if (name === 'binary') return { type: 'str', value: binary(text) }
  if (name === undefined || !knownTags.has(name)) return { type: 'str', value: text }
  const scalar = implied(text, name)
  if (scalar.type === name) return scalar
  if (name === 'float' && scalar.type === 'int' && scalar.value <= maximumInt64) {
    return { type: 'float', value: Number(scalar.value) }
  }
  throw new YamlSyntaxError(`yaml: cannot decode !!${scalar.type} \`${text}\` as a !!${name}`)
}

/** Resolves a scalar node; a quoted one without a tag is a text. @throws YamlSyntaxError */
export function scalarOf({ tag, text, implicit }: ScalarNode): Scalar {
  return tag === '' && !implicit ? { type: 'str', value: text } : resolve(tag, text)
}

/** Whether the key is the merge key `<<`, which adds the entries of its value to the mapping. */
export function isMerge(node: Node): boolean {
  return node.kind === 'scalar' && node.text === '<<' && (node.implicit || node.tag === `${tagPrefix}merge`)
}
