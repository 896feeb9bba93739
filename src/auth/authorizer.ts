/** Whether a user may do what a request asks for. Default-deny: some rule must allow it. */
import type { RbacObjects } from '../catalog/shapes/rbac.ts'
import type { PolicyCache } from '../clusters/policy.ts'
import { goQuote } from '../meta/go-text.ts'
import type { User } from '../meta/user.ts'
import type { Attributes, Decision } from './attributes.ts'
import { RbacPolicy, type UserRules } from './rbac/policy.ts'
import { mastersGroup } from './user.ts'

/** The administrators' group may do everything, whatever the rules say. */
const privileged: Decision = { allowed: true, reason: '' }

const compiled = new WeakMap<RbacObjects, RbacPolicy>()

/** The index of a state of roles and bindings: made once for each. */
function policyOf(objects: RbacObjects): RbacPolicy {
  let policy = compiled.get(objects)
  if (policy === undefined) {
    policy = new RbacPolicy(objects)
    compiled.set(objects, policy)
  }
  return policy
}

/** Decides by the cluster's policy: a permission may be a second old, a refusal never is. */
export class Authorizer {
  readonly #cache: PolicyCache

  constructor(cache: PolicyCache) {
    this.#cache = cache
  }

  /** The decision about one request. */
  async authorize(user: User, attributes: Attributes): Promise<Decision> {
    if (user.groups.includes(mastersGroup)) return privileged
    return this.#cache.answer(
      ({ rbac }) => policyOf(rbac).authorize(user, attributes),
      (decision) => decision.allowed,
    )
  }

  /** All rules that apply to a user in a namespace, as they are now. */
  rulesFor(user: User, namespace: string): Promise<UserRules> {
    return this.#cache.answer(
      ({ rbac }) => policyOf(rbac).rulesFor(user, namespace),
      () => false,
    )
  }
}

/** What a refusal tells, as kube-apiserver words it. */
export function refusal(user: User, attributes: Attributes, reason = ''): string {
  const who = `User ${goQuote(user.name)} cannot ${attributes.verb}`
  const why = reason === '' ? '' : `: ${reason}`
  if (!attributes.isResource) return `${who} path ${goQuote(attributes.path)}${why}`
  const resource = attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`
  const where = attributes.namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(attributes.namespace)}`
  return `${who} resource ${goQuote(resource)} in API group ${goQuote(attributes.group)} ${where}${why}`
}
