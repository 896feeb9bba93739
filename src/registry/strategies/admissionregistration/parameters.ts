/**
 * Permissions for the parameters of admission policies: a user who references a paramKind or a paramRef must be allowed to get
 * or list those parameters, because the server reads them for the policy. Follows authz.go of the admission policy strategies.
 */
import { allKinds, kindOf } from '../../../catalog/scheme.ts'
import { workerLookup } from '../../../clusters/lookups.ts'
import { goPrint } from '../../../go/print.ts'
import { forbiddenValue } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { User } from '../../../meta/user.ts'
import { access, mayAll } from '../../access.ts'
import type { Permit, StrategyContext } from '../../hooks.ts'
import { keyOf, objectOf } from '../../stored-object.ts'

interface ParamKind {
  readonly apiVersion?: string
  readonly kind?: string
}

interface ParamRef {
  readonly name?: string
  readonly namespace?: string
}

interface Policy extends KubernetesObject {
  spec: { readonly paramKind?: ParamKind }
}

interface Binding extends KubernetesObject {
  spec: { readonly policyName?: string; readonly paramRef?: ParamRef }
}

/** The resource of the parameters; `*` for each part that cannot be resolved. */
interface Parameters {
  readonly group: string
  readonly version: string
  readonly resource: string
  /** The part that was resolved. */
  readonly found: 'the resource' | 'the version' | 'nothing'
}

const everything: Parameters = { group: '*', version: '*', resource: '*', found: 'nothing' }

function parametersOf({ apiVersion = '', kind = '' }: ParamKind, { lookups }: StrategyContext): Parameters {
  const parts = apiVersion.split('/')
  if (parts.length > 2) return everything
  const [version = '', group = ''] = parts.reverse()
  const builtIn = [...allKinds()].find((one) => one.apiVersion === apiVersion && one.kind === kind)
  const found = builtIn ?? lookups.get(workerLookup('resourceOfKind', { group, version, kind }))
  return found === null
    ? { group, version, resource: '*', found: 'the version' }
    : { group, version, resource: found.resource, found: 'the resource' }
}

/** Returns a user as Go prints it. */
const goUser = ({ name, uid, groups, extra }: User): string => {
  const map = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]))
  return `&{${name} ${uid} ${goPrint([...groups])} ${goPrint(map)}}`
}

const describeParamKind = ({ kind = '', apiVersion = '' }: ParamKind): string => `(kind=${kind}, apiVersion=${apiVersion})`

/** Checks the permission for the paramKind of a policy, if it changes and the object has no other errors. */
export const permitPolicy: Permit = (found, object, old, context) => {
  const { paramKind } = (object as Policy).spec
  const before = (old as Policy | undefined)?.spec.paramKind
  const isSame = before?.apiVersion === paramKind?.apiVersion && before?.kind === paramKind?.kind
  const { user } = context
  if (found.length > 0 || paramKind === undefined || user === undefined || mayAll(context)) return found
  if (before !== undefined && isSame) return found
  const { group, version, resource } = parametersOf(paramKind, context)
  if (access(context, { verb: 'get', group, version, resource, namespace: '*', name: '*' }).allowed) return found
  const why = `user ${goUser(user)} must have "get" permission on all objects of the referenced paramKind ${describeParamKind(paramKind)}`
  return [forbiddenValue('spec.paramKind', why)]
}

/** Returns the stored policy of a name; undefined if it does not exist. */
function policyOf(resource: string, name: string, { transaction }: StrategyContext): Policy | undefined {
  const kind = kindOf('admissionregistration.k8s.io', 'v1', resource)
  const stored = kind && transaction.get(keyOf(kind, '', name))
  return stored && (objectOf(stored) as Policy)
}

/**
 * Checks the permission for the paramRef of a binding, if the object has no other errors. Unchanged references are checked too:
 * kube-apiserver compares the pointers in them, so two complete references are never equal.
 * @param policies the resource of the policies to which the bindings belong
 */
export function permitBinding(policies: 'validatingadmissionpolicies' | 'mutatingadmissionpolicies'): Permit {
  return (found, object, _old, context) => {
    const { paramRef, policyName = '' } = (object as Binding).spec
    const { user } = context
    if (found.length > 0 || paramRef === undefined || user === undefined || mayAll(context)) return found
    const policy = policyOf(policies, policyName, context)
    const paramKind = policy?.spec.paramKind
    const parameters = paramKind === undefined ? everything : parametersOf(paramKind, context)
    const verb = (paramRef.name ?? '') === '' ? 'list' : 'get'
    const { name = '', namespace = '' } = paramRef
    const { group, version, resource } = parameters
    if (access(context, { verb, group, version, resource, namespace, name }).allowed) return found
    return [forbiddenValue('spec.paramRef', refusalOf(policy, policyName, parameters, user, verb, policies))]
  }
}

function refusalOf(
  policy: Policy | undefined,
  policyName: string,
  { found }: Parameters,
  user: User,
  verb: string,
  policies: string,
): string {
  const everywhere = `to determine minimum required permissions and user ${goUser(user)} does not have "${verb}" permission for all groups, versions and resources`
  if (policy === undefined) return `unable to get policy ${policyName} ${everywhere}`
  const { paramKind } = policy.spec
  if (paramKind !== undefined && found !== 'the resource') {
    const way = found === 'nothing' ? 'parse' : 'resolve'
    return `unable to ${way} paramKind &{${paramKind.apiVersion ?? ''} ${paramKind.kind ?? ''}} ${everywhere}`
  }
  // The message of kube-apiserver for mutating policies swaps the user and the verb.
  const [first, second] = policies === 'mutatingadmissionpolicies' ? [verb, goUser(user)] : [goUser(user), verb]
  return `user ${first} does not have "${second}" permission on the object referenced by paramRef`
}
