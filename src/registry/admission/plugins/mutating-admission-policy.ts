/** The admission plugin MutatingAdmissionPolicy: changes objects by the expressions of policies. */

import { ApiError } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { equivalentsIn } from '../matching/equivalents.ts'
import type { MatchedObjects } from '../matching/selectors.ts'
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden, type MutatingContext } from '../plugin.ts'
import { dispatchMutating, mutatingHooks } from '../policy/mutating/dispatch.ts'
import { MutatedVersions } from '../policy/mutating/objects.ts'
import { configuredHooks } from '../policy/shared/configured-hooks.ts'
import { namespaceLabelsOf, policyRequestOf } from './validating-admission-policy.ts'

const hooks = configuredHooks((configuration) =>
  mutatingHooks(configuration.mutatingPolicies, configuration.mutatingBindings, equivalentsIn(configuration)),
)

function admit(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: MutatingContext,
): void {
  const { configuration, lookups, kindOf, reinvocation } = context
  const policies = hooks.of(configuration, attributes)
  if (policies === undefined) return
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
  handlers: [{ operations: ['CREATE', 'UPDATE', 'CONNECT'], resources: 'any', lookups: hooks.lookups, admit }],
}
