/** The text of the internal types: src/catalog/tables/internal.txt, with the structs and their fields in the order of Go. */
import { blocksOf, fail, wordAt, writeBlock } from './lines.ts'

/** A field in the table: its name in Go ('' if its own fields are inlined), its name in JSON, its type. */
export type InternalFieldRow = readonly [name: string, json: string, type: string]

/** The name of an embedded field in the text. */
const EMBEDDED = '-'

/** Returns the usual name in JSON: the name in Go with a lower-case first letter. */
export function jsonName(name: string): string {
  return `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`
}

/** Writes internal.txt. */
export function writeInternal(types: ReadonlyMap<string, readonly InternalFieldRow[]>): string {
  const words = ([name, json, type]: InternalFieldRow): string[] =>
    json === jsonName(name) ? [name, type] : [name === '' ? EMBEDDED : name, json, type]
  return [...types].map(([struct, fields]) => writeBlock([struct], fields.map(words))).join('')
}

/**
 * Reads internal.txt.
 * @throws Error with file and line for a line that is not a field
 */
export function readInternal(file: string, text: string): Map<string, readonly InternalFieldRow[]> {
  return new Map(
    blocksOf(file, text).map((block) => [
      wordAt(block, 0, 'struct'),
      block.lines.map((line): InternalFieldRow => {
        const [name = '', second = '', third] = line.words
        if (line.words.length < 2 || line.words.length > 3) fail(line, 'not a field')
        return third === undefined ? [name, jsonName(name), second] : [name === EMBEDDED ? '' : name, second, third]
      }),
    ]),
  )
}
