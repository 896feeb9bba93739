/** Services. */
import type { StrategyHooks } from '../../hooks.ts'

export const serviceHooks: StrategyHooks = {}
