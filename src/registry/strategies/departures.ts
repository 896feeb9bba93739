/** Which kinds depart from the rule in more than facts, by `<resource>[.<group>]`. */
import type { StrategyHooks } from '../hooks.ts'
import { namespaceHooks } from './core/namespace.ts'
import { serviceHooks } from './core/service.ts'

export const departures: Readonly<Record<string, StrategyHooks>> = {
  namespaces: namespaceHooks,
  services: serviceHooks,
}
