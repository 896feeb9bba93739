/** The results of the generated differential, as data and as a page. */
import { existsSync } from 'node:fs'
import { readLines, writeLines } from '../../conformance/lines.ts'

/** The number of compared responses, and of equal ones. */
export interface Tally {
  readonly cases: number
  readonly equal: number
}

/** By kind (`<resource>[.<group>]/<version>`), then by verb, then by base object. */
type Results = Record<string, Record<string, Record<string, Tally>>>

export function readResults(file: string): Results {
  const lines = existsSync(file) ? readLines<{ readonly kind: string; readonly verbs: Results[string] }>(file) : []
  return Object.fromEntries(lines.map(({ kind, verbs }) => [kind, verbs]))
}

/** Stores a tally, replacing an earlier one. */
export function record(results: Results, kind: string, verb: string, base: string, tally: Tally): void {
  results[kind] = { ...results[kind], [verb]: { ...results[kind]?.[verb], [base]: tally } }
}

export function writeResults(file: string, results: Results): void {
  const sorted = Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1))
  writeLines(
    file,
    sorted.map(([kind, verbs]) => ({ kind, verbs })),
  )
}

const sum = (tallies: readonly Tally[]): Tally => ({
  cases: tallies.reduce((total, { cases }) => total + cases, 0),
  equal: tallies.reduce((total, { equal }) => total + equal, 0),
})

function share({ cases, equal }: Tally): string {
  if (cases === 0) return ''
  // Rounded down, so that 100 % means all.
  const percent = Math.floor((10_000 * equal) / cases) / 100
  return `${percent} % of ${cases.toLocaleString('en')}`
}

const verbs = ['create', 'update', 'status']

/** Renders the results as a page with a row for each kind. */
export function pageOf(results: Results): string {
  const rows = Object.entries(results).map(([kind, byVerb]) => {
    const cells = verbs.map((verb) => share(sum(Object.values(byVerb[verb] ?? {}))))
    return `| ${[kind, ...cells].join(' | ')} |`
  })
  const all = sum(Object.values(results).flatMap((byVerb) => Object.values(byVerb).flatMap((byBase) => Object.values(byBase))))
  return `# Comparison with kube-apiserver by kind

For each kind: the share of generated requests to which Edgeplane responds exactly as kube-apiserver 1.36.3, with the same status, warnings and body in the same order. A request contains a valid object, either the smallest of its kind or one with as many fields as possible, in which one field of its schema is broken, or several fields at random; for kinds with many fields, a sample of them. Written by \`npm run lab diff generated -- --results\`; the numbers by the form of the objects are in [\`generated.jsonl\`](../conformance/generated.jsonl). Every difference is in [\`generated-ledger.json\`](../conformance/generated-ledger.json) with its reason.

Total: ${share(all)}.

| kind | create | update | status |
|---|---|---|---|
${rows.join('\n')}
`
}
