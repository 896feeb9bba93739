/** The strategy of a kind: its options, its hooks, and values derived from them, cached for each kind. */
import type { PathSet } from '../apply/path-set.ts'
import { paths } from '../apply/path-set.ts'
import type { DefinedKind, Kind } from '../catalog/kind.ts'
import { warningsOf } from '../catalog/warnings/warnings.ts'
import type { StrategyHooks } from './hooks.ts'
import { customHooks, customRules } from './strategies/custom.ts'
import { clusterHooks } from './strategies/edgeplane/cluster.ts'
import { registeredHooksOf } from './strategies/registered.ts'
import { type ResetPaths, type StrategyOptions, strategyOptionsOf } from './strategy-options.ts'

/** The options and the hooks of one resource (rest.RESTCreateStrategy, RESTUpdateStrategy and RESTDeleteStrategy in one). */
export interface Strategy extends StrategyOptions, StrategyHooks {
  /** Returns the fields that a write to the resource ('') or a subresource resets to their stored values. */
  readonly resetsOf: (subresource: string) => ResetPaths
  /** Returns the fields that such a write cannot own. The set of a subresource is cached. */
  readonly resetFieldsOf: (subresource: string) => PathSet
}

const strategies = new Map<string, Strategy>()

/** The custom kinds that the server itself gives a meaning, by the prefix of their keys. */
const hooksOfDefined: Readonly<Record<string, StrategyHooks>> = { 'clusters.edgeplane.dev': clusterHooks }

const customStrategies = new WeakMap<Kind, Strategy>()

function customStrategyOf(kind: Kind, defined: DefinedKind): Strategy {
  let strategy = customStrategies.get(kind)
  if (strategy === undefined) {
    strategy = makeStrategy(customRules(defined), { ...customHooks(defined), ...hooksOfDefined[kind.storage.prefix] })
    customStrategies.set(kind, strategy)
  }
  return strategy
}

/** Returns the hooks of a built-in kind. */
function hooksOf(prefix: string): StrategyHooks {
  const warn = warningsOf(prefix)
  return { ...(warn !== undefined && { warn }), ...registeredHooksOf(prefix) }
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

/**
 * Returns the strategy of a kind. Cached: by resource for built-in kinds, by kind for custom resources.
 * @example
 * const strategy = strategyOf(kind)
 * const name = strategy.validateName('Not-A-Name', false) // messages, [] if the name is valid
 * const resets = strategy.resetsOf('status') // [['spec']] by default
 */
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
