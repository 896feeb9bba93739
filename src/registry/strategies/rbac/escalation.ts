/**
 * Prevents privilege escalation: a user can grant only permissions that the user already holds, unless the user is allowed to
 * `escalate` the role or to `bind` it. Follows the policy-based storage of kube-apiserver's RBAC registry.
 */
import { describeParts, uncovered } from '../../../auth/rbac/coverage.ts'
import type { RbacPolicy } from '../../../auth/rbac/policy.ts'
import { mastersGroup } from '../../../auth/user.ts'
import type { PolicyRule, RoleRef } from '../../../clusters/rbac-objects.ts'
import { goQuote } from '../../../go/text.ts'
import { ApiError, badRequest, forbidden, namespaceRequired, notFound } from '../../../meta/errors.ts'
import { isPathSegmentName } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { User } from '../../../meta/user.ts'
import type { StrategyContext, StrategyHooks } from '../../hooks.ts'

/** Returns the object without the fields that garbage collection and finalizers change: a write to only these grants nothing. */
function withoutCollectedFields({ metadata, apiVersion: _version, kind: _kind, ...rest }: KubernetesObject): string {
  const {
    ownerReferences: _owners,
    finalizers: _finalizers,
    managedFields: _managed,
    resourceVersion: _revision,
    ...meta
  } = metadata
  return JSON.stringify({ meta, ...rest }, (_field, value: unknown) => (isEmpty(value) ? undefined : value))
}

/** Whether Go's semantic equality treats the value like an absent one. */
const isEmpty = (value: unknown): boolean => value === null || (typeof value === 'object' && Object.keys(value).length === 0)

const isHarmless = (object: KubernetesObject, old: KubernetesObject | undefined): boolean =>
  old !== undefined && withoutCollectedFields(object) === withoutCollectedFields(old)

function escalation(user: User, policy: RbacPolicy, namespace: string, wanted: readonly PolicyRule[]): string | undefined {
  const { rules, errors } = policy.rulesFor(user, namespace)
  const missing = uncovered(rules, wanted)
  if (missing.length === 0) return undefined
  const groups = `[${user.groups.map(goQuote).join(' ')}]`
  const who = `user ${goQuote(user.name)} (groups=${groups}) is attempting to grant RBAC permissions not currently held:`
  const unresolved =
    errors.length === 0 ? '' : `; resolution errors: [${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}]`
  return `${who}\n${describeParts(missing)}${unresolved}`
}

/** Returns the requesting user and the RBAC policy; undefined if the user is the server itself or an administrator. */
function requestOf({ user, services: { rbac } }: StrategyContext): { user: User; policy: RbacPolicy } | undefined {
  if (user === undefined || user.groups.includes(mastersGroup)) return undefined
  if (rbac === undefined) throw new Error('roles are not held by this object')
  return { user, policy: rbac() }
}

function may(
  verb: 'escalate' | 'bind',
  user: User,
  policy: RbacPolicy,
  resource: string,
  namespace: string,
  name: string,
): boolean {
  const group = 'rbac.authorization.k8s.io'
  return policy.authorize(user, { isResource: true, verb, group, resource, subresource: '', namespace, name }).allowed
}

/** A rule that is not validated yet: it may lack verbs, and then grants nothing. */
type UncheckedRule = Omit<PolicyRule, 'verbs'> & { readonly verbs?: readonly string[] | null }

function rulesIn({ rules }: KubernetesObject): PolicyRule[] {
  const unchecked = (rules as readonly UncheckedRule[] | null | undefined) ?? []
  return unchecked.map((rule) => ({ ...rule, verbs: rule.verbs ?? [] }))
}

function mayWriteRole(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: StrategyContext,
): ApiError | undefined {
  const request = requestOf(context)
  if (request === undefined || isHarmless(object, old)) return undefined
  const { user, policy } = request
  const { namespace = '', name = '' } = object.metadata
  // A create is authorized without a name, because its URL has no name.
  if (may('escalate', user, policy, context.kind.resource, namespace, old === undefined ? '' : name)) return undefined
  const why = escalation(user, policy, namespace, rulesIn(object))
  return why === undefined ? undefined : forbidden(context.kind, name, why)
}

/** Whether an aggregationRule can select roles: one without selectors grants nothing. */
function hasSelectors({ aggregationRule }: KubernetesObject): boolean {
  const rule = aggregationRule as { readonly clusterRoleSelectors?: readonly unknown[] | null } | null | undefined
  return (rule?.clusterRoleSelectors ?? []).length > 0
}

/** An aggregationRule includes the rules of every role with its labels, so only users with all permissions may set it. */
function mayWriteClusterRole(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: StrategyContext,
): ApiError | undefined {
  const refusal = mayWriteRole(object, old, context)
  const request = requestOf(context)
  const aggregates = hasSelectors(object) || (old !== undefined && hasSelectors(old))
  if (refusal !== undefined || request === undefined || !aggregates || isHarmless(object, old)) return refusal
  const { user, policy } = request
  const { name = '' } = object.metadata
  if (may('escalate', user, policy, context.kind.resource, '', old === undefined ? '' : name)) return undefined
  const everything = [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ]
  if (escalation(user, policy, '', everything) === undefined) return undefined
  return forbidden(context.kind, name, 'must have cluster-admin privileges to use the aggregationRule')
}

/** The resource of each kind that a roleRef can name. */
const roleResources: ReadonlyMap<string, string> = new Map([
  ['ClusterRole', 'clusterroles'],
  ['Role', 'roles'],
])

/**
 * Checks that a reference can be looked up. The reference is not validated yet: kube-apiserver fails where it makes the key.
 * @param namespace of the binding
 */
function lookupError({ kind, name }: RoleRef, namespace: string): ApiError | undefined {
  if (kind === 'Role' && namespace === '') return namespaceRequired()
  if (name === '') return badRequest('Name parameter required.')
  const wrong = isPathSegmentName(name)
  return wrong.length > 0 ? badRequest(`Name parameter invalid: ${goQuote(name)}: ${wrong.join(';')}`) : undefined
}

function mayWriteBinding(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: StrategyContext,
): ApiError | undefined {
  const request = requestOf(context)
  if (request === undefined || isHarmless(object, old)) return undefined
  const { user, policy } = request
  const { namespace = '', name = '' } = object.metadata
  const role = object.roleRef as unknown as RoleRef
  const resource = roleResources.get(role.kind)
  if (resource === undefined) return new ApiError(500, '', `unsupported role reference kind: ${goQuote(role.kind)}`)
  if (may('bind', user, policy, resource, namespace, role.name)) return undefined
  const unusable = lookupError(role, namespace)
  if (unusable !== undefined) return unusable
  const rules = policy.rulesOf(role, namespace)
  // kube-apiserver names the resource of the request, and not that of the role, in the message.
  if (rules === undefined) return notFound(context.kind, role.name)
  const why = escalation(user, policy, namespace, rules)
  return why === undefined ? undefined : forbidden(context.kind, name, why)
}

export const role: Pick<StrategyHooks, 'authorizeWrite'> = { authorizeWrite: mayWriteRole }
export const clusterRole: Pick<StrategyHooks, 'authorizeWrite'> = { authorizeWrite: mayWriteClusterRole }
export const binding: Pick<StrategyHooks, 'authorizeWrite'> = { authorizeWrite: mayWriteBinding }
