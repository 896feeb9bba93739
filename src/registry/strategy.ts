/** How a kind's writes depart from the rule: its facts, its hooks, and what is derived from them, once for each kind. */
import type { PathSet } from '../apply/path-set.ts'
import { paths } from '../apply/path-set.ts'
import type { Kind } from '../catalog/kind.ts'
import type { StrategyHooks } from './hooks.ts'
import { rulesOf, type StrategyRules } from './rules.ts'
import { departures } from './strategies/departures.ts'

/** The facts and the departures of one resource. */
export interface Strategy extends StrategyRules, StrategyHooks {
  /** `resets` as a set of paths: what a write to the resource cannot own. */
  readonly resetFields: PathSet
  /** `statusResets` as a set of paths. */
  readonly statusResetFields: PathSet
}

const strategies = new Map<string, Strategy>()

/** The strategy of a kind: made once. */
export function strategyOf(kind: Kind): Strategy {
  const { prefix } = kind.storage
  let strategy = strategies.get(prefix)
  if (strategy === undefined) {
    const rules = rulesOf(prefix)
    strategy = { ...rules, ...departures[prefix], resetFields: paths(rules.resets), statusResetFields: paths(rules.statusResets) }
    strategies.set(prefix, strategy)
  }
  return strategy
}
