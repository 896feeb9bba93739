/** The recorded responses of a kube-apiserver, each text once. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Area, matrix } from './matrix.ts'
import type { Answered } from './play.ts'

const file = join(import.meta.dirname, 'answers.json')

interface RecordedArea {
  /** The checksum of the cases' titles, in their order. */
  readonly checksum: string
  /** For each case, the index of its response. */
  readonly given: readonly number[]
}

interface Recorded {
  readonly areas: Readonly<Record<string, RecordedArea>>
  readonly answers: readonly unknown[]
}

const checksumOf = ({ cases }: Area): string =>
  createHash('sha256')
    .update([...cases.keys()].join('\n'))
    .digest('hex')
    .slice(0, 16)

/** Writes the responses of all areas. */
export function record(areas: Readonly<Record<string, ReadonlyMap<string, Answered>>>): void {
  const answers = new Map<string, number>()
  const indexOf = (answered: Answered | undefined): number => {
    const text = JSON.stringify(answered ?? null)
    const index = answers.get(text) ?? answers.size
    answers.set(text, index)
    return index
  }
  const lines = Object.entries(matrix).map(([name, area]) => {
    const given = [...area.cases.keys()].map((title) => indexOf(areas[name]?.get(title)))
    return `${JSON.stringify(name)}: ${JSON.stringify({ checksum: checksumOf(area), given } satisfies RecordedArea)}`
  })
  writeFileSync(file, `{"areas": {\n${lines.join(',\n')}\n},\n"answers": [\n${[...answers.keys()].join(',\n')}\n]}\n`)
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
  const { areas, answers } = JSON.parse(readFileSync(file, 'utf8')) as Recorded
  const recorded = areas[name]
  if (recorded?.checksum !== checksumOf(area)) throw new Error(`the cases of "${name}" have changed: record them anew`)
  const different = new Map<string, Difference>()
  for (const [index, title] of [...area.cases.keys()].entries()) {
    const answer = answered.get(title)
    if (answer === undefined) continue
    const pair = { recorded: JSON.stringify(answers[recorded.given[index] ?? -1]), got: JSON.stringify(answer) }
    if (pair.recorded !== pair.got) different.set(title, pair)
  }
  return different
}
