/** The known differences from kube-apiserver, which ledger.json explains. One that no longer occurs must be removed from it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Access } from './play.ts'
import { check, type DifferingStep, maxPause } from './replay.ts'
import type { Scenario } from './scenario.ts'

interface Ledger {
  /** The reason of a difference, by its row. */
  readonly differences: Readonly<Record<string, string>>
  /** The same for differences that occur only if each collection has versions of its own. */
  readonly differencesOfCollections: Readonly<Record<string, string>>
}

const ledger = JSON.parse(readFileSync(join(import.meta.dirname, 'ledger.json'), 'utf8')) as Ledger

/** Returns the row of a step: `<scenario> #<step>`, or `<scenario> #versions` for all that differ in the numbers of versions alone. */
const rowOf = ({ scenario, step, isNumberAlone }: DifferingStep): string => `${scenario} #${isNumberAlone ? 'versions' : step}`

/** Returns the rows of the known differences of a scenario, sorted. */
export function knownDifferences({ name }: Scenario, placement: 'one-object' | 'collections'): string[] {
  const rows = { ...ledger.differences, ...(placement === 'collections' && ledger.differencesOfCollections) }
  return Object.keys(rows)
    .filter((row) => row.startsWith(`${name} #`))
    .sort()
}

/** Replays a scenario against this server; returns the rows of the steps that differ, sorted. */
export async function differences(scenario: Scenario, { url, token }: Access): Promise<string[]> {
  const { differing } = await check(scenario, { url, token, maxPause })
  return [...new Set(differing.map(rowOf))].sort()
}
