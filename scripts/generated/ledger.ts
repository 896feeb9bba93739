/** The differences that are known, each with its reason: one that is not among them, and one of them that is gone, is a failure. */
import { readFileSync } from 'node:fs'
import type { Difference } from './comparison.ts'

/** What is known to differ. What is absent of an entry may be anything; `paths` and `values` are regular expressions. */
interface Entry {
  /** `<resource>[.<group>]/<version>`, a regular expression. */
  readonly kinds?: string
  readonly verbs?: readonly string[]
  readonly paths?: string
  readonly values?: string
  readonly reason: string
}

const fits = (pattern: string | undefined, text: string): boolean =>
  pattern === undefined || new RegExp(`^(?:${pattern})$`).test(text)

const isKnown = (entry: Entry, { resource, verb, path, what }: Difference): boolean =>
  fits(entry.kinds, resource) && (entry.verbs?.includes(verb) ?? true) && fits(entry.paths, path) && fits(entry.values, what)

/** What a run found, held against a ledger. */
export interface Findings {
  readonly unknown: readonly Difference[]
  /** Entries of kinds and verbs that were compared, of which no difference was found. */
  readonly gone: readonly Entry[]
}

/**
 * @param compared what was compared whole, as `<resource>[.<group>]/<version> <verb>`: of other kinds nothing can be gone
 */
export function heldAgainst(file: string, differences: readonly Difference[], compared: readonly string[]): Findings {
  const entries = JSON.parse(readFileSync(file, 'utf8')) as readonly Entry[]
  // Paths with a space are those of several mistakes at once, of which each run draws others.
  const wasCompared = ({ kinds, verbs, paths = '' }: Entry): boolean =>
    !paths.includes(' ') &&
    compared.some((each) => {
      const [kind = '', verb = ''] = each.split(' ')
      return fits(kinds, kind) && (verbs?.includes(verb) ?? true)
    })
  return {
    unknown: differences.filter((difference) => !entries.some((entry) => isKnown(entry, difference))),
    gone: entries.filter((entry) => wasCompared(entry) && !differences.some((difference) => isKnown(entry, difference))),
  }
}
