/** The strategy of a kind's writes: its facts, its hooks, and values derived from them, made once for each kind. */
import type { PathSet } from '../apply/path-set.ts'
import { paths } from '../apply/path-set.ts'
import type { DefinedKind, Kind } from '../catalog/kind.ts'
import { warnings } from '../catalog/warnings/warnings.ts'
import type { StrategyHooks } from './hooks.ts'
import { customHooks, customRules } from './strategies/custom.ts'
import { registeredHooks } from './strategies/registered.ts'
import { type ResetPaths, type StrategyOptions, strategyOptionsOf } from './strategy-options.ts'

/** The facts and the hooks of one resource. */
export interface Strategy extends StrategyOptions, StrategyHooks {
  /** The fields that a write to the resource ('') or one of its subresources resets to their stored values. */
  readonly resetsOf: (subresource: string) => ResetPaths
  /** The same as a set of paths: what such a write cannot own. Always the same set for the same subresource. */
  readonly resetFieldsOf: (subresource: string) => PathSet
}

const strategies = new Map<string, Strategy>()

const customStrategies = new WeakMap<Kind, Strategy>()

function customStrategyOf(kind: Kind, defined: DefinedKind): Strategy {
  let strategy = customStrategies.get(kind)
  if (strategy === undefined) {
    strategy = makeStrategy(customRules(defined), customHooks(defined))
    customStrategies.set(kind, strategy)
  }
  return strategy
}

/** The hooks of a built-in kind. */
function hooksOf(prefix: string): StrategyHooks {
  const warn = warnings[prefix]
  return { ...(warn !== undefined && { warn }), ...registeredHooks[prefix] }
}

function makeStrategy(rules: StrategyOptions, hooks: StrategyHooks): Strategy {
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
  return { ...rules, ...hooks, resetsOf, resetFieldsOf }
}

/** The strategy of a kind: made once. */
export function strategyOf(kind: Kind): Strategy {
  if (kind.definition !== undefined) return customStrategyOf(kind, kind.definition)
  const { prefix } = kind.storage
  let strategy = strategies.get(prefix)
  if (strategy === undefined) {
    strategy = makeStrategy(strategyOptionsOf(prefix), hooksOf(prefix))
    strategies.set(prefix, strategy)
  }
  return strategy
}
