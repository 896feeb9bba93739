/** The recorded responses: each text once, with an index for each trial. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../root.ts'

const file = join(root, 'test/http/parameters.json')

interface Recorded {
  readonly answers: readonly string[]
  /** The index in `answers` for each trial. */
  readonly of: readonly number[]
}

/** Returns the responses in the order of the trials. */
export function readRecorded(): string[] {
  const { answers, of } = JSON.parse(readFileSync(file, 'utf8')) as Recorded
  return of.map((place) => answers[place] ?? '')
}

/** Writes the responses. */
export function writeRecorded(all: readonly string[]): void {
  const answers = [...new Set(all)].sort()
  const places = new Map(answers.map((answer, place) => [answer, place]))
  writeFileSync(file, JSON.stringify({ answers, of: all.map((answer) => places.get(answer)) }))
}
