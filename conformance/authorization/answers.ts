/** The recorded responses of a kube-apiserver: a file for each area, beside its cases, with a line for each case. */
import { join } from 'node:path'
import { readLines, writeLines } from '../lines.ts'
import { type Area, matrix } from './matrix.ts'
import type { Answered } from './play.ts'

const fileOf = (area: string): string => join(import.meta.dirname, 'areas', `${area.replaceAll(' ', '-')}.jsonl`)

interface Recorded {
  readonly case: string
  readonly answer: Answered
}

/** Writes the responses of all areas. */
export function record(areas: Readonly<Record<string, ReadonlyMap<string, Answered>>>): void {
  for (const [name, { cases }] of Object.entries(matrix)) {
    const answers = [...cases.keys()].map((title) => ({ case: title, answer: areas[name]?.get(title) }))
    writeLines(fileOf(name), answers)
  }
}

/** A recorded response and the actual one, each as JSON. */
export interface Difference {
  readonly recorded: string
  readonly got: string
}

/**
 * Compares responses with the recorded ones, by title.
 * @param answered the responses of the cases that were played, which may be a part of the area
 * @throws Error if other cases were recorded than exist now
 */
export function differencesOf(
  name: string,
  area: Area,
  answered: ReadonlyMap<string, Answered>,
): ReadonlyMap<string, Difference> {
  const answers = new Map(readLines<Recorded>(fileOf(name)).map((each) => [each.case, each.answer]))
  const different = new Map<string, Difference>()
  if ([...answers.keys()].join('\n') !== [...area.cases.keys()].join('\n'))
    throw new Error(`the cases of "${name}" have changed: record them again`)
  for (const [title, answer] of answers) {
    if (!answered.has(title)) continue
    const pair = { recorded: JSON.stringify(answer), got: JSON.stringify(answered.get(title)) }
    if (pair.recorded !== pair.got) different.set(title, pair)
  }
  return different
}
