/**
 * The ledger of known differences with their reasons: an unknown difference is a failure, and so is an entry that no longer
 * occurs.
 */
import { readFileSync } from 'node:fs'
import type { Difference } from './comparison.ts'

/** An entry of the ledger. An absent field matches anything; `paths` and `values` are regular expressions. */
interface Entry {
  /** A regular expression for `<resource>[.<group>]/<version>`. */
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

/** The comparison of a run with the ledger. */
export interface Findings {
  readonly unknown: readonly Difference[]
  /** Entries for compared kinds and verbs without any difference found. */
  readonly gone: readonly Entry[]
}

/**
 * Compares differences with a ledger.
 * @param compared the completely compared kinds and verbs, as `<resource>[.<group>]/<version> <verb>`; entries of other kinds are
 * never reported as gone
 */
export function heldAgainst(file: string, differences: readonly Difference[], compared: readonly string[]): Findings {
  const entries = JSON.parse(readFileSync(file, 'utf8')) as readonly Entry[]
  // Paths with a space belong to cases with several changes, which differ in each run.
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
