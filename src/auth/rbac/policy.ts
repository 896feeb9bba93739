/**
 * The RBAC authorizer: the roles and bindings of a cluster, indexed by subject, so that a decision visits only the bindings of
 * the user. Follows the RBAC authorizer of kube-apiserver.
 */
import type { Binding, PolicyRule, RbacObjects, RoleRef, Subject } from '../../clusters/rbac-objects.ts'
import type { User } from '../../meta/user.ts'
import type { Attributes, Decision } from '../attributes.ts'
import { allowsName, ruleCovers } from './rule.ts'

/** A binding, for one of its subjects. */
interface Grant {
  readonly binding: Binding
  /** `ClusterRoleBinding "x" of ClusterRole "y" to Group "z"`. */
  readonly source: string
  /** Undefined if the role does not exist. */
  readonly rules: readonly PolicyRule[] | undefined
  /** The position among all bindings, which are visited in this order. */
  readonly order: number
  /** The position of the subject in its binding: the first one that matches the user is the one that a decision names. */
  readonly subjectIndex: number
}

/** The rules of a user, and errors for bound roles that do not exist. */
export interface UserRules {
  readonly rules: readonly PolicyRule[]
  readonly errors: readonly string[]
  /** False if another authorizer may allow more. */
  readonly isComplete: boolean
}

function subjectText(subject: Subject, namespace: string): string {
  const name = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name
  return `${subject.kind} ${JSON.stringify(name)}`
}

function sourceText({ namespace, name, roleRef }: Binding, subject: Subject): string {
  const binding = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding'
  const qualifiedName = namespace === '' ? name : `${name}/${namespace}`
  const role = `${roleRef.kind} ${JSON.stringify(roleRef.name)}`
  return `${binding} ${JSON.stringify(qualifiedName)} of ${role} to ${subjectText(subject, namespace)}`
}

/** Returns the index key of a subject, different for users and groups; undefined for a subject that matches no user. */
function subjectKey(subject: Subject, namespace: string): string | undefined {
  if (subject.kind === 'User') return `u${subject.name}`
  if (subject.kind === 'Group') return `g${subject.name}`
  const inNamespace = subject.namespace || namespace
  if (subject.kind !== 'ServiceAccount' || inNamespace === '') return undefined
  return `usystem:serviceaccount:${inNamespace}:${subject.name}`
}

const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** The bindings that may allow one kind of request of one user. */
interface Candidates {
  readonly covering: readonly { readonly source: string; readonly rules: readonly PolicyRule[] }[]
  /** Errors for bound roles that do not exist. */
  readonly errors: readonly string[]
}

/** The maximum number of cached candidate lists, the maximum length of a cache key, and of all keys together. */
const mostCandidates = 4096
const longestKey = 4096
const mostKeyCharacters = 1024 * 1024

/**
 * Returns the cache key of a request without its name, and of its user. JSON keeps it unambiguous for any characters in user and
 * group names.
 */
function candidatesKey({ name, groups }: User, request: Attributes): string {
  const target = request.isResource ? [request.group, request.resource, request.subresource, request.namespace] : request.path
  return JSON.stringify([request.verb, target, name, groups])
}

/**
 * An index of one state of the cluster's roles and bindings.
 *
 * @example
 * ```ts
 * const policy = new RbacPolicy({
 *   clusterRoles: { reader: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
 *   roles: {},
 *   bindings: [{ namespace: '', name: 'readers', roleRef: { kind: 'ClusterRole', name: 'reader' }, subjects }],
 * })
 * policy.authorize(user, attributes).allowed
 * ```
 */
export class RbacPolicy {
  readonly #objects: RbacObjects
  /** By namespace ('' for the cluster), then by subject. */
  readonly #grants = new Map<string, Map<string, Grant[]>>()
  readonly #candidates = new Map<string, Candidates>()
  #keyCharacters = 0

  constructor(objects: RbacObjects) {
    this.#objects = objects
    for (const [order, binding] of objects.bindings.entries()) this.#add(binding, order)
  }

  /** Decides whether a rule of the user allows the request. */
  authorize(user: User, attributes: Attributes): Decision {
    const { covering, errors } = this.#candidatesFor(user, attributes)
    const found = covering.find(({ rules }) => !attributes.isResource || rules.some((rule) => allowsName(rule, attributes.name)))
    if (found !== undefined) return { allowed: true, reason: `RBAC: allowed by ${found.source}` }
    // Missing roles are reported only for the bindings that were visited.
    return { allowed: false, reason: errors.length === 0 ? '' : `RBAC: ${aggregate(errors)}` }
  }

  /** Returns the user's bindings that may allow the request for some name, computed once for each user and kind of request. */
  #candidatesFor(user: User, attributes: Attributes): Candidates {
    const key = candidatesKey(user, attributes)
    const known = this.#candidates.get(key)
    if (known !== undefined) return known
    const covering: { source: string; rules: readonly PolicyRule[] }[] = []
    const errors: string[] = []
    for (const { source, rules, binding } of this.#grantsOf(user, attributes.isResource ? attributes.namespace : '')) {
      if (rules === undefined) errors.push(missing(binding))
      const some = rules?.filter((rule) => ruleCovers(rule, attributes)) ?? []
      if (some.length > 0) covering.push({ source, rules: some })
    }
    const found = { covering, errors }
    this.#keep(key, found)
    return found
  }

  #keep(key: string, found: Candidates): void {
    if (key.length > longestKey) return
    if (this.#candidates.size >= mostCandidates || this.#keyCharacters > mostKeyCharacters) {
      this.#candidates.clear()
      this.#keyCharacters = 0
    }
    this.#candidates.set(key, found)
    this.#keyCharacters += key.length
  }

  /** Returns all rules that apply to a user in a namespace ('' for cluster-wide rules only). */
  rulesFor(user: User, namespace: string): UserRules {
    const grants = [...this.#grantsOf(user, namespace)]
    return {
      rules: grants.flatMap((grant) => grant.rules ?? []),
      errors: grants.filter((grant) => grant.rules === undefined).map((grant) => missing(grant.binding)),
      isComplete: true,
    }
  }

  /** Returns the rules of the role that a binding in the namespace refers to; undefined if the role does not exist. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    if (kind === 'ClusterRole') return own(this.#objects.clusterRoles, name)
    return kind === 'Role' ? own(this.#objects.roles, `${namespace}/${name}`) : undefined
  }

  #add(binding: Binding, order: number): void {
    const { namespace, roleRef, subjects } = binding
    let bySubject = this.#grants.get(namespace)
    if (bySubject === undefined) {
      bySubject = new Map()
      this.#grants.set(namespace, bySubject)
    }
    const rules = this.rulesOf(roleRef, namespace)
    for (const [subjectIndex, subject] of subjects.entries()) {
      const key = subjectKey(subject, namespace)
      if (key === undefined) continue
      const grant = { binding, source: sourceText(binding, subject), rules, order, subjectIndex }
      const others = bySubject.get(key)
      if (others === undefined) bySubject.set(key, [grant])
      // A repeated subject adds nothing.
      else if (others.at(-1)?.binding !== binding) others.push(grant)
    }
  }

  /** Yields the bindings that apply to the user, ClusterRoleBindings first, each once. */
  *#grantsOf(user: User, namespace: string): Generator<Grant> {
    yield* this.#grantsIn('', user)
    if (namespace !== '') yield* this.#grantsIn(namespace, user)
  }

  #grantsIn(namespace: string, user: User): readonly Grant[] {
    const bySubject = this.#grants.get(namespace)
    if (bySubject === undefined) return []
    const lists = [`u${user.name}`, ...user.groups.map((group) => `g${group}`)]
      .map((key) => bySubject.get(key))
      .filter((list) => list !== undefined)
    if (lists.length <= 1) return lists[0] ?? []
    const byBinding = new Map<Binding, Grant>()
    for (const grant of lists.flat()) {
      const known = byBinding.get(grant.binding)
      if (known === undefined || grant.subjectIndex < known.subjectIndex) byBinding.set(grant.binding, grant)
    }
    return [...byBinding.values()].sort((a, b) => a.order - b.order)
  }
}

/** Returns the error for a bound role that does not exist. */
function missing({ roleRef }: Binding): string {
  return `${roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(roleRef.name)} not found`
}

/** Joins unique errors as Go's utilerrors.Aggregate prints them. */
function aggregate(errors: readonly string[]): string {
  const unique = [...new Set(errors)]
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`
}
