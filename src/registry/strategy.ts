/** How a kind's writes depart from the rule: its facts, its hooks, and what is derived from them, once for each kind. */
import type { PathSet } from '../apply/path-set.ts'
import { paths } from '../apply/path-set.ts'
import type { Kind } from '../catalog/kind.ts'
import { warnings } from '../catalog/warnings/warnings.ts'
import type { StrategyHooks } from './hooks.ts'
import { type ResetPaths, rulesOf, type StrategyRules } from './rules.ts'
import { departures } from './strategies/departures.ts'

/** The facts and the departures of one resource. */
export interface Strategy extends StrategyRules, StrategyHooks {
  /** What a write to the resource ('') or one of its subresources leaves as it was. */
  readonly resetsOf: (subresource: string) => ResetPaths
  /** The same as a set of paths: what such a write cannot own. Always the same set for the same subresource. */
  readonly resetFieldsOf: (subresource: string) => PathSet
}

const strategies = new Map<string, Strategy>()

function makeStrategy(prefix: string): Strategy {
  const rules = rulesOf(prefix)
  const resetsOf = (subresource: string): ResetPaths => {
    if (subresource === '') return rules.resets
    return rules.subresourceResets[subresource] ?? rules.statusResets
  }
  const sets = new Map<string, PathSet>()
  const resetFieldsOf = (subresource: string): PathSet => {
    let set = sets.get(subresource)
    if (set === undefined) {
      set = paths([...resetsOf(subresource), ...(rules.unowned[subresource] ?? [])])
      sets.set(subresource, set)
    }
    return set
  }
  const warn = warnings[prefix]
  return { ...rules, ...(warn !== undefined && { warn }), ...departures[prefix], resetsOf, resetFieldsOf }
}

/** The strategy of a kind: made once. */
export function strategyOf(kind: Kind): Strategy {
  const { prefix } = kind.storage
  let strategy = strategies.get(prefix)
  if (strategy === undefined) {
    strategy = makeStrategy(prefix)
    strategies.set(prefix, strategy)
  }
  return strategy
}
