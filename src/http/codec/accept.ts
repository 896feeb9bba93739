/** Parses the Accept header as Go's goautoneg does: the representation that kube-apiserver chooses depends on its details. */

/** One entry of an Accept header. `quality` is no longer among the parameters. */
export interface AcceptClause {
  readonly type: string
  readonly subtype: string
  readonly quality: number
  readonly parameters: ReadonlyMap<string, string>
}

/** Go sorts up to twelve elements by insertion. `precedes` is not transitive, so the result depends on the algorithm. */
const insertionSortLimit = 12

const decimal = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/

/** Removes the spaces at both ends of a text. Other white space stays, as in goautoneg. */
export function trimSpaces(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && text[start] === ' ') start++
  while (end > start && text[end - 1] === ' ') end--
  return text.slice(start, end)
}

function parseParameters(parts: readonly string[]): { quality: number; parameters: Map<string, string> } {
  const parameters = new Map<string, string>()
  let quality = 1
  for (const part of parts) {
    const [name = '', value = '', ...more] = part.split('=')
    if (value === '' || more.join('=') !== '') continue
    const token = trimSpaces(name)
    if (token === 'q') quality = decimal.test(value) ? Number(value) : 0
    else parameters.set(token, trimSpaces(value))
  }
  return { quality, parameters }
}

function parseClause(part: string): AcceptClause | undefined {
  const [range = '', ...rest] = trimSpaces(part).split(';')
  const [type = '', subtype = '', ...more] = range.split('/')
  if (more.join('/') !== '') return undefined
  const clause = { type: trimSpaces(type), subtype: trimSpaces(subtype) }
  if (subtype === '' && clause.type !== '*') return undefined
  return { type: clause.type, subtype: subtype === '' ? '*' : clause.subtype, ...parseParameters(rest) }
}

/**
 * Whether one entry is tried before another. This is not a consistent order: a wildcard with a higher quality precedes and also
 * follows an exact entry. The sort algorithm decides, as in Go.
 */
function precedes(a: AcceptClause, b: AcceptClause): boolean {
  if (a.quality > b.quality) return true
  if (a.type !== '*' && b.type === '*') return true
  return a.subtype !== '*' && b.subtype === '*'
}

function insertionSort(clauses: AcceptClause[]): AcceptClause[] {
  for (let i = 1; i < clauses.length; i++) {
    for (let j = i; j > 0; j--) {
      const [before, after] = [clauses[j - 1], clauses[j]]
      if (before === undefined || after === undefined || !precedes(after, before)) break
      clauses[j - 1] = after
      clauses[j] = before
    }
  }
  return clauses
}

const wildcards = (clause: AcceptClause): number => (clause.type === '*' ? 2 : clause.subtype === '*' ? 1 : 0)

/**
 * Parses an Accept header into its entries, in the order in which they are tried: by quality, wildcards last. Malformed entries
 * are left out. Names are case-sensitive: kube-apiserver does not know `APPLICATION/JSON`. Never throws.
 * @param header the header's value; empty text gives no entries
 */
export function parseAccept(header: string): AcceptClause[] {
  const clauses = header
    .split(',')
    .map(parseClause)
    .filter((clause) => clause !== undefined)
  if (clauses.length <= insertionSortLimit) return insertionSort(clauses)
  return clauses.sort((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b))
}
