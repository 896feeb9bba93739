/** The parameters of policies. Follows CollectParams of the package policy/generic. */
import type { ParamKind, ParamRef } from '../../../../catalog/generated/types/admissionregistration.v1.ts'
import { type FoundParams, type ParamResource, workerLookup } from '../../../../clusters/lookups.ts'
import type { JsonObject } from '../../../../go/json-value.ts'
import { formatLabelSelector } from '../../../../meta/label-selector.ts'
import { labelSelectorFrom } from '../../../../meta/label-selector-object.ts'
import type { LookupResults, WorkerLookup } from '../../../../meta/lookups.ts'

/** The parameters for one binding, null if it is evaluated without one; or the reason that they cannot be found. */
export type CollectedParams = { readonly params: readonly (JsonObject | null)[] } | { readonly error: string }

/** Returns the lookup of the resource of a paramKind. */
export const paramKindLookup = ({ apiVersion = '', kind = '' }: ParamKind): WorkerLookup<ParamResource | null> =>
  workerLookup('paramKind', { apiVersion, kind })

/**
 * Returns the lookup of the parameters that a binding selects.
 * @param namespace the namespace of the request
 * @throws Error if the selector is invalid
 */
export function paramsLookup(
  { apiVersion = '', kind = '' }: ParamKind,
  { name = '', namespace: own = '', selector }: ParamRef,
  namespace: string,
): WorkerLookup<FoundParams> {
  const chosen = name === '' ? { selector: formatLabelSelector(labelSelectorFrom(selector)) } : { name }
  return workerLookup('policyParams', { apiVersion, kind, namespace: own === '' ? namespace : own, ...chosen })
}

/** Returns the reason that the kind of parameters is unknown, as the message of the error quotes it. */
export function unknownParamKind({ apiVersion = '', kind = '' }: ParamKind): string {
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  return `failed to find resource referenced by paramKind: '${groupVersion}, Kind=${kind}'`
}

/** Returns the error in the combination of a parameter's kind with a reference to it. */
function mismatch(
  { isNamespaced, isWatched }: ParamResource,
  kind: ParamKind,
  ref: ParamRef,
  namespace: string,
): string | undefined {
  const { namespace: own = '', name = '', selector } = ref
  if (isNamespaced && own === '' && namespace === '') {
    return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources'
  }
  const quoted = `&ParamKind{APIVersion:${kind.apiVersion ?? ''},Kind:${kind.kind ?? ''},}`
  if (!isWatched) return `paramKind kind \`${quoted}\` not yet synced to use for admission`
  if (own !== '' && !isNamespaced) return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`'
  if (name !== '' && selector !== undefined) return 'paramRef.name and paramRef.selector are mutually exclusive'
  return name === '' && selector === undefined ? 'one of name or selector must be provided' : undefined
}

/** The resources of paramKinds that were found, by the policy: uids are not unique among copies of a cluster. */
const found = new WeakMap<object, ParamResource>()

/**
 * Returns the resource of a policy's paramKind; null if it does not exist. One that has existed stays known after its
 * CustomResourceDefinition is deleted, as long as policies do not change: kube-apiserver then finds no parameters, but does not
 * report the kind as unknown.
 * @throws MissingLookups
 */
export function paramResourceOf(policy: object, kind: ParamKind, lookups: LookupResults): ParamResource | null {
  const current = lookups.get(paramKindLookup(kind))
  if (current !== null) found.set(policy, current)
  return current ?? found.get(policy) ?? null
}

/**
 * Returns the parameters with which a policy is evaluated for a binding.
 * @param kind the paramKind of the policy, with its resource
 * @param ref the paramRef of the binding
 * @param namespace the namespace of the request
 * @throws MissingLookups
 */
export function collectParams(
  kind: ParamKind,
  resource: ParamResource,
  ref: ParamRef,
  namespace: string,
  lookups: LookupResults,
): CollectedParams {
  const error = mismatch(resource, kind, ref, namespace)
  if (error !== undefined) return { error }
  let lookup: WorkerLookup<FoundParams>
  try {
    lookup = paramsLookup(kind, ref, namespace)
  } catch (failure) {
    return { error: failure instanceof Error ? failure.message : String(failure) }
  }
  const params = lookups.get(lookup)
  if (params.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    return { error: 'no params found for policy binding with `Deny` parameterNotFoundAction' }
  }
  return { params }
}
