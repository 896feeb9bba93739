/** The form of all recordings: JSON Lines, so that a diff shows the questions whose answers have changed. */
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Reads a file of lines, each a JSON value.
 * @example
 * const rows = readLines<{ pod: object; usage: object }>(join(import.meta.dirname, 'quota.jsonl'))
 */
export const readLines = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

/** Writes values as lines. */
export const writeLines = (file: string, values: Iterable<unknown>): void =>
  writeFileSync(file, [...values].map((value) => `${JSON.stringify(value)}\n`).join(''))
