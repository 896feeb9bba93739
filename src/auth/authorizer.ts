/** Decides whether a user may make a request. Deny by default: some rule must allow it. */
import type { Asker, PolicyCache } from '../clusters/policy.ts'
import type { RbacObjects } from '../clusters/rbac-objects.ts'
import { goQuote } from '../go/text.ts'
import type { User } from '../meta/user.ts'
import type { Attributes, Decision } from './attributes.ts'
import { RbacPolicy, type UserRules } from './rbac/policy.ts'
import { mastersGroup } from './user.ts'
import type { WebhookAuthorizer } from './webhook/authorizer.ts'

/** The decision for system:masters, whose members may do everything regardless of the rules. */
const privileged: Decision = { allowed: true, reason: '' }

const compiled = new WeakMap<RbacObjects, RbacPolicy>()

/** Returns the index of one state of the RBAC objects, built once for each. */
function policyOf(objects: RbacObjects): RbacPolicy {
  let policy = compiled.get(objects)
  if (policy === undefined) {
    policy = new RbacPolicy(objects)
    compiled.set(objects, policy)
  }
  return policy
}

/** One authorizer in the union: RBAC or a webhook. */
export type AuthorizerStep = 'RBAC' | WebhookAuthorizer

const withoutRules = 'webhook authorizer does not support user rule resolution'

/**
 * The union of RBAC and webhook authorizers. An RBAC permission may be one second old, or as old as
 * the operator allows; a refusal is always checked against the
 * current objects.
 *
 * @example
 * ```ts
 * const authorizer = new Authorizer(policyCache)
 * const attributes: Attributes = {
 *   isResource: true, verb: 'get', group: '', resource: 'pods', subresource: '', namespace: 'default', name: 'web',
 * }
 * const { allowed, reason } = await authorizer.authorize(user, attributes)
 * if (!allowed) throw forbidden(attributes, attributes.name, refusal(user, attributes, reason))
 * ```
 */
export class Authorizer {
  readonly #cache: PolicyCache
  readonly #steps: readonly AuthorizerStep[]
  readonly #byRulesAlone: boolean

  /** @param steps the authorizers in order: the first that allows or denies decides */
  constructor(cache: PolicyCache, steps: readonly AuthorizerStep[] = ['RBAC']) {
    this.#cache = cache
    this.#steps = steps
    this.#byRulesAlone = steps.length === 1 && steps[0] === 'RBAC'
  }

  /**
   * Decides one request.
   * @param asker the request that asks; without it, a refusal is checked against rules that are asked for now
   */
  async authorize(user: User, attributes: Attributes, asker?: Asker): Promise<Decision> {
    if (user.groups.includes(mastersGroup)) return privileged
    return this.#byRulesAlone ? this.#byRules(user, attributes, asker) : this.#inTurn(user, attributes, asker)
  }

  /** Returns all rules that currently apply to a user in a namespace (SelfSubjectRulesReview). */
  async rulesFor(user: User, namespace: string): Promise<UserRules> {
    const webhooks = this.#steps.filter((step) => step !== 'RBAC').map(() => withoutRules)
    if (webhooks.length === this.#steps.length) return { rules: [], errors: webhooks, isComplete: false }
    const found = await this.#cache.answer(
      ({ rbac }) => policyOf(rbac).rulesFor(user, namespace),
      () => false,
    )
    return webhooks.length === 0 ? found : { ...found, errors: [...found.errors, ...webhooks], isComplete: false }
  }

  #byRules(user: User, attributes: Attributes, asker: Asker | undefined): Promise<Decision> {
    return this.#cache.permission(
      ({ rbac }) => policyOf(rbac).authorize(user, attributes),
      (decision) => decision.allowed,
      asker,
    )
  }

  async #inTurn(user: User, attributes: Attributes, asker: Asker | undefined): Promise<Decision> {
    const decisions: Decision[] = []
    asker?.waits?.()
    for (const step of this.#steps) {
      const decision = await (step === 'RBAC' ? this.#byRules(user, attributes, asker) : step.authorize(user, attributes))
      if (decision.allowed || decision.denied === true) return decision
      decisions.push(decision)
    }
    const errors = decisions.flatMap(({ error }) => error ?? [])
    const reason = decisions.flatMap((decision) => (decision.reason === '' ? [] : [decision.reason])).join('\n')
    if (errors.length === 0) return { allowed: false, reason }
    return { allowed: false, reason, error: errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]` }
  }
}

/** Returns the message of a 403 Forbidden, word for word as kube-apiserver's ForbiddenMessage. */
export function forbiddenMessage(user: User, attributes: Attributes, reason = ''): string {
  const prefix = `User ${goQuote(user.name)} cannot ${attributes.verb}`
  const suffix = reason === '' ? '' : `: ${reason}`
  if (!attributes.isResource) return `${prefix} path ${goQuote(attributes.path)}${suffix}`
  const resource = attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`
  const scope = attributes.namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(attributes.namespace)}`
  return `${prefix} resource ${goQuote(resource)} in API group ${goQuote(attributes.group)} ${scope}${suffix}`
}
