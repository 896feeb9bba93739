/** The admission plugin MutatingAdmissionPolicy: changes objects by the expressions of policies. */
import type { AdmissionConfiguration } from '../../../clusters/admission-configuration.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import { ApiError } from '../../../meta/errors.ts'
import type { WorkerLookup } from '../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { isExemptFromPolicies } from '../matching/rules.ts'
import type { MatchedObjects } from '../matching/selectors.ts'
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden, type MutatingContext } from '../plugin.ts'
import { dispatchMutating, type MutatingHooks, mutatingHooks } from '../policy/mutating/dispatch.ts'
import { MutatedVersions } from '../policy/mutating/objects.ts'
import { namespaceLabelsOf, policyRequestOf } from './validating-admission-policy.ts'

const hooks = new WeakMap<AdmissionConfiguration, MutatingHooks>()

/** Returns the policies of a configuration, made once. */
function hooksOf(configuration: AdmissionConfiguration): MutatingHooks {
  const known = hooks.get(configuration)
  if (known !== undefined) return known
  const made = mutatingHooks(configuration.mutatingPolicies, configuration.mutatingBindings)
  hooks.set(configuration, made)
  return made
}

function lookupsOf(
  attributes: AdmissionAttributes,
  _object: JsonValue,
  configuration: AdmissionConfiguration | undefined,
): readonly WorkerLookup<unknown>[] {
  if (configuration === undefined || isExemptFromPolicies(attributes.kind)) return []
  return hooksOf(configuration).expectedLookups(attributes)
}

function admit(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: MutatingContext,
): void {
  const { configuration, lookups, kindOf, reinvocation } = context
  if (configuration === undefined || isExemptFromPolicies(attributes.kind)) return
  const policies = hooksOf(configuration)
  if (policies.candidates(attributes).length === 0) return
  const objects: MatchedObjects = { object, old, namespaceLabels: (name) => namespaceLabelsOf(lookups, name) }
  const versions = new MutatedVersions(attributes, object, old, kindOf)
  const mutated = { request: policyRequestOf(attributes), lookups, reinvocation, findings: context, object, objects, versions }
  const denial = dispatchMutating(policies, mutated)
  if (denial === undefined) return
  const [first = ''] = denial.messages
  const forbidden = admissionForbidden(attributes, object, first)
  const causes = denial.messages.map((message) => ({ message }))
  throw new ApiError(forbidden.code, denial.reason, first, { ...forbidden.details, causes })
}

/** Runs in the mutating phase of every request that a policy may match. Deletions have no object to mutate. */
export const mutatingAdmissionPolicy: AdmissionPlugin = {
  name: 'MutatingAdmissionPolicy',
  handlers: [{ operations: ['CREATE', 'UPDATE', 'CONNECT'], resources: 'any', lookups: lookupsOf, admit }],
}
