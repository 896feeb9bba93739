/** The admission plugin ValidatingAdmissionPolicy: evaluates the expressions of policies, and denies, warns or annotates. */

import { namespaceLookup } from '../../../clusters/lookups.ts'
import { labelsOfNamespace } from '../../../clusters/namespace-facts.ts'
import { ApiError } from '../../../meta/errors.ts'
import type { LookupResults } from '../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { equivalentsIn } from '../matching/equivalents.ts'
import type { MatchedObjects } from '../matching/selectors.ts'
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden, type ValidatingContext } from '../plugin.ts'
import { configuredHooks } from '../policy/shared/configured-hooks.ts'
import { type PolicyRequest, RequestValues } from '../policy/shared/request-values.ts'
import { versionedObject } from '../policy/shared/versioned-objects.ts'
import { dispatchValidating, validatingHooks } from '../policy/validating/dispatch.ts'

const hooks = configuredHooks((configuration) =>
  validatingHooks(configuration.validatingPolicies, configuration.validatingBindings, equivalentsIn(configuration)),
)

/** Returns the request as policies see it. A connection has no options. */
export function policyRequestOf(attributes: AdmissionAttributes): PolicyRequest {
  const { operation, options } = attributes
  if (operation === 'CONNECT' || options === undefined) return { ...attributes, options: null }
  return { ...attributes, options: { kind: options.kind, apiVersion: 'meta.k8s.io/v1', ...options.fields } }
}

/** Returns the labels of a namespace. @throws MissingLookups */
export function namespaceLabelsOf(lookups: LookupResults, name: string): Readonly<Record<string, string>> | undefined {
  const found = lookups.get(namespaceLookup(name))
  return found === null ? undefined : labelsOfNamespace(name, found)
}

function validate(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: ValidatingContext,
): void {
  const { configuration, lookups, kindOf } = context
  const policies = hooks.of(configuration, attributes)
  if (policies === undefined) return
  const isDelete = attributes.operation === 'DELETE'
  const own = isDelete ? undefined : object
  const objects: MatchedObjects = { object: own, old, namespaceLabels: (name) => namespaceLabelsOf(lookups, name) }
  const values = new RequestValues(policyRequestOf(attributes), lookups, (matched) => ({
    object: own === undefined ? null : versionedObject(attributes, own, 'internal', matched, kindOf),
    old: old === undefined ? null : versionedObject(attributes, old, isDelete ? 'stored' : 'internal', matched, kindOf),
  }))
  const denial = dispatchValidating(policies, values, objects, context)
  if (denial === undefined) return
  const { code, reason, message } = denial
  const forbidden = admissionForbidden(attributes, object, message)
  throw new ApiError(code, reason, forbidden.message, { ...forbidden.details, causes: [{ message }] })
}

/** Runs in the validating phase of every request that a policy may match. Follows the package policy/validating. */
export const validatingAdmissionPolicy: AdmissionPlugin = {
  name: 'ValidatingAdmissionPolicy',
  handlers: [{ operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'], resources: 'any', lookups: hooks.lookups, validate }],
}
