/** Counts the watches and sent events of a Durable Object for metrics, by kind and scope. */
import type { Kind } from '../catalog/kind.ts'
import type { WatchMetrics } from '../clusters/collection-metrics.ts'
import type { Target } from '../clusters/operation.ts'
import type { WatchTally } from '../storage/store.ts'

type Scope = WatchMetrics['scope']

const scopeOf = ({ name, namespace }: Target): Scope => (name !== '' ? 'resource' : namespace === '' ? 'cluster' : 'namespace')

/** The tallies of one Durable Object since it was loaded. */
export class WatchTallies {
  readonly #tallies = new Map<string, { readonly kind: Kind; readonly scope: Scope; readonly tally: WatchTally }>()

  /** Returns the tally of a kind and scope, which the caller increments. */
  of(kind: Kind, target: Target): WatchTally {
    const scope = scopeOf(target)
    const key = `${kind.apiVersion}/${kind.resource} ${scope}`
    let found = this.#tallies.get(key)
    if (found === undefined) {
      found = { kind, scope, tally: { watches: 0, events: 0 } }
      this.#tallies.set(key, found)
    }
    return found.tally
  }

  list(): WatchMetrics[] {
    return [...this.#tallies.values()].map(({ kind: { group, version, resource }, scope, tally }) => ({
      group,
      version,
      resource,
      scope,
      ...tally,
    }))
  }
}
