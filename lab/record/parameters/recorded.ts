/** The recorded responses: a line for each query, with the responses to all requests that have it. */
import { join } from 'node:path'
import { readLines, writeLines } from '../../../conformance/lines.ts'
import { root } from '../../root.ts'
import type { Trial } from './requests.ts'

const file = join(root, 'conformance/recorded/parameters.jsonl')

interface Recorded {
  readonly query: string
  /** The requests that each response answers: method, path without the query, and the type of a patch. */
  readonly answers: Readonly<Record<string, readonly string[]>>
}

const titleOf = ({ method, path, query, contentType }: Trial): string =>
  `${method} ${path.slice(0, -query.length)}${method === 'PATCH' ? ` ${contentType}` : ''}`

/** Returns the responses in the order of the trials; undefined for one that is not recorded. */
export function readRecorded(all: readonly Trial[]): (string | undefined)[] {
  const answered = readLines<Recorded>(file).map(({ query, answers }) => {
    const byRequest = Object.entries(answers).flatMap(([response, requests]) =>
      requests.map((title) => [title, response] as const),
    )
    return [query, new Map(byRequest)] as const
  })
  const lines = new Map(answered)
  return all.map((trial) => lines.get(trial.query)?.get(titleOf(trial)))
}

/** Writes the responses to the trials. */
export function writeRecorded(all: readonly Trial[], responses: readonly string[]): void {
  const lines = new Map<string, Record<string, string[]>>()
  for (const [index, response] of responses.entries()) {
    const trial = all[index]
    if (trial === undefined) continue
    const answers = lines.get(trial.query) ?? {}
    answers[response] = [...(answers[response] ?? []), titleOf(trial)]
    lines.set(trial.query, answers)
  }
  writeLines(
    file,
    [...lines].map(([query, answers]) => ({ query, answers })),
  )
}
