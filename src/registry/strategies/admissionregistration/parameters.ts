/**
 * Nobody has the server read for a policy what they may not read themselves: who names a kind of parameters, or an object of it,
 * needs to be allowed to get or list it. Follows the strategies of admission policies and their bindings.
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

/** What the parameters are of, as far as that can be found out: everything where it cannot. */
interface Parameters {
  readonly group: string
  readonly version: string
  readonly resource: string
  /** How far it was found out. */
  readonly found: 'the resource' | 'the version' | 'nothing'
}

const everything: Parameters = { group: '*', version: '*', resource: '*', found: 'nothing' }

function parametersOf({ apiVersion = '', kind = '' }: ParamKind, { lookups }: StrategyContext): Parameters {
  const parts = apiVersion.split('/')
  if (parts.length > 2) return everything
  const [version = '', group = ''] = parts.reverse()
  const builtIn = [...allKinds()].find((one) => one.apiVersion === apiVersion && one.kind === kind)
  const resource = builtIn?.resource ?? lookups.get(workerLookup('resourceOfKind', { group, version, kind }))
  return resource === null
    ? { group, version, resource: '*', found: 'the version' }
    : { group, version, resource, found: 'the resource' }
}

/** A user as Go prints one. */
const goUser = ({ name, uid, groups, extra }: User): string => {
  const map = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]))
  return `&{${name} ${uid} ${goPrint([...groups])} ${goPrint(map)}}`
}

const shown = ({ kind = '', apiVersion = '' }: ParamKind): string => `(kind=${kind}, apiVersion=${apiVersion})`

/** Policies: only where the kind changes, and where nothing else is wrong. */
export const permitPolicy: Permit = (found, object, old, context) => {
  const { paramKind } = (object as Policy).spec
  const before = (old as Policy | undefined)?.spec.paramKind
  const isSame = before?.apiVersion === paramKind?.apiVersion && before?.kind === paramKind?.kind
  const { user } = context
  if (found.length > 0 || paramKind === undefined || user === undefined || mayAll(context)) return found
  if (before !== undefined && isSame) return found
  const { group, version, resource } = parametersOf(paramKind, context)
  if (access(context, { verb: 'get', group, version, resource, namespace: '*', name: '*' }).allowed) return found
  const why = `user ${goUser(user)} must have "get" permission on all objects of the referenced paramKind ${shown(paramKind)}`
  return [forbiddenValue('spec.paramKind', why)]
}

/** The policy of a name; undefined where there is none. */
function policyOf(resource: string, name: string, { transaction }: StrategyContext): Policy | undefined {
  const kind = kindOf('admissionregistration.k8s.io', 'v1', resource)
  const stored = kind && transaction.get(keyOf(kind, '', name))
  return stored && (objectOf(stored) as Policy)
}

/**
 * Bindings, of policies of this resource: where nothing else is wrong, and also where nothing changes, for kube-apiserver never
 * finds two references that say all they have to say to be the same.
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
  // kube-apiserver has the two in the other order for one of the kinds.
  const [first, second] = policies === 'mutatingadmissionpolicies' ? [verb, goUser(user)] : [goUser(user), verb]
  return `user ${first} does not have "${second}" permission on the object referenced by paramRef`
}
