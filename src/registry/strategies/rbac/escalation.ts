/**
 * Nobody grants through a role or a binding what they do not hold, unless they may `escalate` the role or `bind` it.
 * Follows the policy-based storage of kube-apiserver's RBAC registry.
 */
import { describeParts, uncovered } from '../../../auth/rbac/coverage.ts'
import type { RbacPolicy } from '../../../auth/rbac/policy.ts'
import { mastersGroup } from '../../../auth/user.ts'
import type { PolicyRule, RoleRef } from '../../../clusters/rbac-objects.ts'
import { goQuote } from '../../../go/text.ts'
import { ApiError, forbidden, notFound } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { User } from '../../../meta/user.ts'
import type { StrategyContext, StrategyHooks } from '../../hooks.ts'

/** What garbage collection and finalizers change: whoever changes nothing else grants nothing. */
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

/** What Go's semantic comparison takes for left out. */
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

/** The user whose rights count and the policy that tells them; undefined where nothing is to be asked. */
function asker({ user, services: { rbac } }: StrategyContext): { user: User; policy: RbacPolicy } | undefined {
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

function mayWriteRole(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: StrategyContext,
): ApiError | undefined {
  const asking = asker(context)
  if (asking === undefined || isHarmless(object, old)) return undefined
  const { user, policy } = asking
  const { namespace = '', name = '' } = object.metadata
  // A create is asked about without a name, as the request has none.
  if (may('escalate', user, policy, context.kind.resource, namespace, old === undefined ? '' : name)) return undefined
  const why = escalation(user, policy, namespace, (object.rules as readonly PolicyRule[] | null | undefined) ?? [])
  return why === undefined ? undefined : forbidden(context.kind, name, why)
}

/** Whoever aggregates roles gets the rules of any that somebody labels: only those who may do everything may. */
function mayWriteClusterRole(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: StrategyContext,
): ApiError | undefined {
  const refusal = mayWriteRole(object, old, context)
  const asking = asker(context)
  const aggregates = object.aggregationRule !== undefined || old?.aggregationRule !== undefined
  if (refusal !== undefined || asking === undefined || !aggregates || isHarmless(object, old)) return refusal
  const { user, policy } = asking
  const { name = '' } = object.metadata
  if (may('escalate', user, policy, context.kind.resource, '', old === undefined ? '' : name)) return undefined
  const everything = [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ]
  if (escalation(user, policy, '', everything) === undefined) return undefined
  return forbidden(context.kind, name, 'must have cluster-admin privileges to use the aggregationRule')
}

/** What a binding may refer to. */
const roleResources: ReadonlyMap<string, string> = new Map([
  ['ClusterRole', 'clusterroles'],
  ['Role', 'roles'],
])

function mayWriteBinding(
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  context: StrategyContext,
): ApiError | undefined {
  const asking = asker(context)
  if (asking === undefined || isHarmless(object, old)) return undefined
  const { user, policy } = asking
  const { namespace = '', name = '' } = object.metadata
  const role = object.roleRef as unknown as RoleRef
  const resource = roleResources.get(role.kind)
  if (resource === undefined) return new ApiError(500, '', `unsupported role reference kind: ${goQuote(role.kind)}`)
  if (may('bind', user, policy, resource, namespace, role.name)) return undefined
  const rules = policy.rulesOf(role, namespace)
  // kube-apiserver calls the role by the resource of the request.
  if (rules === undefined) return notFound(context.kind, role.name)
  const why = escalation(user, policy, namespace, rules)
  return why === undefined ? undefined : forbidden(context.kind, name, why)
}

export const role: Pick<StrategyHooks, 'authorizeWrite'> = { authorizeWrite: mayWriteRole }
export const clusterRole: Pick<StrategyHooks, 'authorizeWrite'> = { authorizeWrite: mayWriteClusterRole }
export const binding: Pick<StrategyHooks, 'authorizeWrite'> = { authorizeWrite: mayWriteBinding }
