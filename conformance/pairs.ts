/** Scenarios in another form: a file of JSON for one or several of them, and one with the answers of each. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, type Scenario, withAnswers } from './scenario.ts'

const read = <T>(...path: string[]): T => JSON.parse(readFileSync(join(...path), 'utf8')) as T

/** Returns the areas of the scenarios' files, which areas.json lists. */
function areasIn(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(join(folder, 'areas.json'))) return new Map()
  const areas = read<Readonly<Record<string, readonly string[]>>>(folder, 'areas.json')
  return new Map(Object.entries(areas).flatMap(([area, files]) => files.map((file) => [file, area] as const)))
}

/**
 * Reads the scenarios of a folder in that form, with their answers.
 * @param folder contains `scenarios/FILE.json`, `golden/NAME.json` and maybe `areas.json`
 */
export function readPairs(folder: string): Scenario[] {
  const areas = areasIn(folder)
  const files = readdirSync(join(folder, 'scenarios')).filter((file) => file.endsWith('.json'))
  return files.sort().flatMap((file) =>
    [read<Scenario | Scenario[]>(folder, 'scenarios', file)].flat().map((scenario) => {
      const answers = read<readonly { readonly answer: Answer }[]>(folder, 'golden', `${scenario.name}.json`)
      const area = areas.get(file.replace('.json', ''))
      return withAnswers(
        { ...scenario, ...(area !== undefined && { area }) },
        answers.map(({ answer }) => answer),
      )
    }),
  )
}
