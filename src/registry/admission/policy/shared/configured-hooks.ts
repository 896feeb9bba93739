/** The policies of an admission configuration: made once for each state of it, and the lookups that they need. */
import type { AdmissionConfiguration } from '../../../../clusters/admission-configuration.ts'
import type { WorkerLookup } from '../../../../meta/lookups.ts'
import { isExemptFromPolicies, type MatchRequest } from '../../matching/rules.ts'
import type { AdmissionAttributes, AdmissionHandler } from '../../plugin.ts'

/** The part of hooks that this file uses. */
interface Hooks {
  candidates(request: MatchRequest): readonly unknown[]
  expectedLookups(request: MatchRequest): readonly WorkerLookup<unknown>[]
}

/** Access to the hooks of a configuration. */
interface ConfiguredHooks<PolicyHooks> {
  /** Returns the hooks; undefined if no policy may match the request. */
  readonly of: (configuration: AdmissionConfiguration | undefined, attributes: AdmissionAttributes) => PolicyHooks | undefined
  /** Returns the lookups that a request probably needs. */
  readonly lookups: NonNullable<AdmissionHandler['lookups']>
}

/** Returns access to the hooks that `make` makes, once for each state of the configuration. */
export function configuredHooks<PolicyHooks extends Hooks>(
  make: (configuration: AdmissionConfiguration) => PolicyHooks,
): ConfiguredHooks<PolicyHooks> {
  const made = new WeakMap<AdmissionConfiguration, PolicyHooks>()
  const of: ConfiguredHooks<PolicyHooks>['of'] = (configuration, attributes) => {
    if (configuration === undefined || isExemptFromPolicies(attributes.kind)) return undefined
    const hooks = made.get(configuration) ?? make(configuration)
    made.set(configuration, hooks)
    return hooks.candidates(attributes).length === 0 ? undefined : hooks
  }
  return { of, lookups: (attributes, _object, configuration) => of(configuration, attributes)?.expectedLookups(attributes) ?? [] }
}
