/** The recorded answers: each text once, and which of them answers which trial. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, '..', '..', 'test', 'http', 'parameters.json')

interface Recorded {
  readonly answers: readonly string[]
  /** The place in `answers` of each trial's. */
  readonly of: readonly number[]
}

/** The answers in the order of the trials. */
export function readRecorded(): string[] {
  const { answers, of } = JSON.parse(readFileSync(file, 'utf8')) as Recorded
  return of.map((place) => answers[place] ?? '')
}

/** Keeps them. */
export function writeRecorded(all: readonly string[]): void {
  const answers = [...new Set(all)].sort()
  const places = new Map(answers.map((answer, place) => [answer, place]))
  writeFileSync(file, JSON.stringify({ answers, of: all.map((answer) => places.get(answer)) }))
}
