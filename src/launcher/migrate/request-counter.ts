/** Counts the requests for removed versions in the metrics of a kube-apiserver, line by line. */
import type { SeenRequests } from '../../migration/collect.ts'
import type { Removals } from '../../migration/removals.ts'

const totalName = 'apiserver_request_total{'
const deprecatedName = 'apiserver_requested_deprecated_apis{'

/** Parses the labels of a sample. */
function labelsIn(line: string): Readonly<Record<string, string>> {
  const found = line.matchAll(/(\w+)(?:="((?:[^"\\]|\\.)*)"?)?/g)
  return Object.fromEntries([...found].flatMap(([, name = '', value]) => (value === undefined ? [] : [[name, value]])))
}

const sampleOf = (line: string): number =>
  Number(
    line
      .slice(line.lastIndexOf('}') + 1)
      .trim()
      .split(' ', 1)[0],
  )

const keyOf = ({ group, version, resource, subresource }: Readonly<Record<string, string>>): string =>
  JSON.stringify([group, version, resource, subresource])

/** Joins `apiserver_requested_deprecated_apis` with the verbs of `apiserver_request_total`. */
export class RequestCounter {
  readonly #removals: Removals
  /** The counts by resource and verb. */
  readonly #counts = new Map<string, Map<string, number>>()
  readonly #deprecated = new Map<string, Readonly<Record<string, string>>>()

  constructor(removals: Removals) {
    this.#removals = removals
  }

  /** Takes a line of the metrics. */
  add(line: string): void {
    const isTotal = line.startsWith(totalName)
    if (!isTotal && !line.startsWith(deprecatedName)) return
    const labels = labelsIn(line)
    const { group = '', version = '', resource = '', verb = '' } = labels
    if (this.#removals.ofResource(group, version, resource) === undefined) return
    const key = keyOf(labels)
    if (!isTotal) {
      this.#deprecated.set(key, labels)
      return
    }
    const counts = this.#counts.get(key) ?? new Map<string, number>()
    counts.set(verb, (counts.get(verb) ?? 0) + sampleOf(line))
    this.#counts.set(key, counts)
  }

  /** The requests so far; with an empty verb if the server does not count them. */
  get requests(): SeenRequests[] {
    return [...this.#deprecated].flatMap(([key, { group = '', version = '', resource = '', subresource = '' }]) => {
      const counts = this.#counts.get(key) ?? new Map([['', 1]])
      return [...counts].map(([verb, count]) => ({ verb, group, version, resource, subresource, count }))
    })
  }
}
