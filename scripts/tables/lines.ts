/** The lines of a text table: words, in blocks of a head and the indented lines below it. */

/** A line. */
export interface Line {
  /** Its place for messages: `core.v1.txt:12`. */
  readonly place: string
  readonly words: readonly string[]
}

/** A line that is not indented, with the indented ones that follow. */
export interface Block extends Line {
  readonly lines: readonly Line[]
}

/** Matches a word. Quoted parts, which are JSON, may contain spaces: `default="any text"`. */
const WORD = /(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g

/**
 * Splits a text table into blocks; empty lines mean nothing.
 * @throws Error with file and line if an indented line has no head
 */
export function blocksOf(file: string, text: string): Block[] {
  const blocks: (Line & { lines: Line[] })[] = []
  for (const [index, content] of text.split('\n').entries()) {
    const line = { place: `${file}:${index + 1}`, words: content.match(WORD) ?? [] }
    if (line.words.length === 0) continue
    if (!content.startsWith(' ')) blocks.push({ ...line, lines: [] })
    else (blocks.at(-1) ?? fail(line, 'an indented line without a line above it')).lines.push(line)
  }
  return blocks
}

/** Throws an error that names the file and the line. */
export function fail({ place }: Line, message: string): never {
  throw new Error(`${place}: ${message}`)
}

/** Returns the word at an index. @param name its meaning, for the message if it is absent */
export function wordAt(line: Line, index: number, name: string): string {
  return line.words[index] ?? fail(line, `no ${name}`)
}

/** Reads the value of an option. */
export type OptionReader<T> = (value: string, line: Line) => Partial<T>

/**
 * Reads options, `name=value` or a bare name, in their order.
 * @throws Error with file and line for a name without a reader
 */
export function readOptions<T>(
  line: Line,
  words: readonly string[],
  readers: Readonly<Record<string, OptionReader<T>>>,
): Partial<T> {
  const parts = words.map((word) => {
    const [name = ''] = word.split('=', 1)
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined
    return (reader ?? fail(line, `unknown word ${word}`))(word.slice(name.length + 1), line)
  })
  return Object.assign({}, ...parts)
}

/** Reads a JSON value. */
export function json<T>(text: string, line: Line): T {
  try {
    return JSON.parse(text)
  } catch {
    return fail(line, `no JSON: ${text}`)
  }
}

/** Reads one of several words. */
export function oneOf<T extends string>(text: string, values: readonly T[], line: Line): T {
  return values.find((value) => value === text) ?? fail(line, `${text} is not one of ${values.join(', ')}`)
}

/** Writes an option, or nothing if it has no value. */
export function option(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${name}=${value}`]
}

/** Writes lists of words as the lines of a block. */
export function writeBlock(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head.join(' '), ...lines.map((words) => `  ${words.join(' ')}`)].map((line) => `${line}\n`).join('')
}
