/** The library of strings (version 2 of cel-go's). Positions count code points. */
import { goQuote, trimSpace } from '../../go/text.ts'
import { anyIntAt, intAt, listAt, textAt } from '../arguments.ts'
import { countSteps } from '../budget.ts'
import { ArrayList } from '../collections.ts'
import { declare, global, type Implementation, method } from '../declarations.ts'
import { FormatProblem, runFormat } from '../format.ts'
import { formatValue } from '../format-value.ts'
import { writeClause } from '../format-values.ts'
import type { Library } from '../library.ts'
import { codePoints } from '../text.ts'
import { CelError, type Value } from '../value.ts'

const outOfRange = (index: number | bigint): CelError => new CelError(`index out of range: ${index}`)

const charAt: Implementation = (args) => {
  const characters = codePoints(textAt(args, 0))
  const index = intAt(args, 1)
  return index < 0 || index > characters.length ? outOfRange(anyIntAt(args, 1)) : (characters[index] ?? '')
}

/** Returns the position of the first occurrence from `start` in direction `step`; -1 if the text does not occur. */
function search(text: readonly string[], wanted: readonly string[], start: number, step: 1 | -1): number {
  for (let at = start; at >= 0 && at + wanted.length <= text.length; at += step)
    if (wanted.every((character, i) => text[at + i] === character)) return at
  return -1
}

const indexOf: Implementation = (args) => {
  const [text, wanted] = [codePoints(textAt(args, 0)), codePoints(textAt(args, 1))]
  const start = intAt(args, 2)
  if (wanted.length === 0) return anyIntAt(args, 2)
  return start < 0 ? outOfRange(anyIntAt(args, 2)) : search(text, wanted, start, 1)
}

const lastIndexOf: Implementation = (args) => {
  const [text, wanted] = [codePoints(textAt(args, 0)), codePoints(textAt(args, 1))]
  const start = args.length > 2 ? intAt(args, 2) : undefined
  if (wanted.length === 0) return start === undefined ? text.length : anyIntAt(args, 2)
  if (start !== undefined && start < 0) return outOfRange(anyIntAt(args, 2))
  if (text.length < wanted.length || (start !== undefined && start >= text.length)) return -1
  return search(text, wanted, Math.min(start ?? text.length, text.length - wanted.length), -1)
}

const lower: Implementation = (args) => textAt(args, 0).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
const upper: Implementation = (args) => textAt(args, 0).replace(/[a-z]+/g, (letters) => letters.toUpperCase())

/** Splits into at most `limit` pieces, or all pieces if it is negative. */
function pieces(text: string, separator: string, limit: number): readonly string[] {
  if (limit === 0) return []
  const all = separator === '' ? codePoints(text) : text.split(separator)
  if (limit < 0 || all.length <= limit) return all
  return [...all.slice(0, limit - 1), all.slice(limit - 1).join(separator)]
}

const split: Implementation = (args) =>
  new ArrayList(pieces(textAt(args, 0), textAt(args, 1), args.length > 2 ? intAt(args, 2) : -1))

/** Replaces the first `limit` occurrences. The empty text occurs before every character and at the end. */
const replace: Implementation = (args) => {
  const [text, old, by] = [textAt(args, 0), textAt(args, 1), textAt(args, 2)]
  const limit = args.length > 3 ? intAt(args, 3) : -1
  countSteps(text.length + Math.ceil(text.length / Math.max(1, old.length)) * by.length)
  if (limit < 0 && old !== '') return text.replaceAll(old, () => by)
  if (old !== '') return pieces(text, old, limit + 1).join(by)
  const characters = codePoints(text)
  const count = limit < 0 ? characters.length + 1 : Math.min(limit, characters.length + 1)
  const parts = characters.map((character, i) => (i < count ? by + character : character))
  return parts.join('') + (count > characters.length ? by : '')
}

const substring: Implementation = (args) => {
  const characters = codePoints(textAt(args, 0))
  const start = anyIntAt(args, 1)
  const end = args.length > 2 ? anyIntAt(args, 2) : characters.length
  if (args.length > 2 && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`)
  for (const index of [start, end]) if (index < 0 || index > characters.length) return outOfRange(index)
  return characters.slice(Number(start), Number(end)).join('')
}

const join: Implementation = (args) => {
  const texts: string[] = []
  for (const element of listAt(args, 0).elements) {
    if (element instanceof CelError) return element
    if (typeof element !== 'string') return new CelError(`join: invalid input: ${formatValue(element)}`)
    countSteps(element.length + textAt(args, 1).length)
    texts.push(element)
  }
  return texts.join(textAt(args, 1))
}

const format: Implementation = (args) => {
  const values: readonly Value[] = listAt(args, 1).elements
  const result = runFormat(textAt(args, 0), values.length, (clause, index) => writeClause(clause, values[index] ?? null))
  return result instanceof FormatProblem ? new CelError(result.message) : result.text
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

const quote: Implementation = (args) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are escaped.
  `"${textAt(args, 0).replace(/[\x07\b\f\n\r\t\v\\"]/g, (character) => ESCAPES[character] ?? goQuote(character))}"`

/** cel-go's library of strings, version 2. */
export const STRINGS: Library = {
  functions: [
    declare('charAt', method('string_char_at_int', 'string, int', 'string', charAt)),
    declare(
      'indexOf',
      method('string_index_of_string', 'string, string', 'int', indexOf),
      method('string_index_of_string_int', 'string, string, int', 'int', indexOf),
    ),
    declare(
      'lastIndexOf',
      method('string_last_index_of_string', 'string, string', 'int', lastIndexOf),
      method('string_last_index_of_string_int', 'string, string, int', 'int', lastIndexOf),
    ),
    declare('lowerAscii', method('string_lower_ascii', 'string', 'string', lower)),
    declare(
      'replace',
      method('string_replace_string_string', 'string, string, string', 'string', replace),
      method('string_replace_string_string_int', 'string, string, string, int', 'string', replace),
    ),
    declare(
      'split',
      method('string_split_string', 'string, string', 'list(string)', split),
      method('string_split_string_int', 'string, string, int', 'list(string)', split),
    ),
    declare(
      'substring',
      method('string_substring_int', 'string, int', 'string', substring),
      method('string_substring_int_int', 'string, int, int', 'string', substring),
    ),
    declare(
      'trim',
      method('string_trim', 'string', 'string', (args) => trimSpace(textAt(args, 0))),
    ),
    declare('upperAscii', method('string_upper_ascii', 'string', 'string', upper)),
    declare('format', method('string_format', 'string, list(dyn)', 'string', format)),
    declare('strings.quote', global('strings_quote', 'string', 'string', quote)),
    declare(
      'join',
      method('list_join', 'list(string)', 'string', join),
      method('list_join_string', 'list(string), string', 'string', join),
    ),
  ],
}
