/**
 * Who may do what: the roles and bindings of a cluster, indexed by subject so that a decision looks only at bindings that
 * apply to the user. Follows the RBAC authorizer of kube-apiserver.
 */
import type { Binding, PolicyRule, RbacObjects, RoleRef, Subject } from '../../clusters/rbac-objects.ts'
import type { User } from '../../meta/user.ts'
import type { Attributes, Decision } from '../attributes.ts'
import { allowsName, ruleCovers } from './rule.ts'

/** A binding as one of its subjects sees it. */
interface Grant {
  readonly binding: Binding
  /** `ClusterRoleBinding "x" of ClusterRole "y" to Group "z"`. */
  readonly source: string
  /** Undefined where the role is not there. */
  readonly rules: readonly PolicyRule[] | undefined
  /** Where the binding stands among the others: they are visited in their order. */
  readonly order: number
}

/** The rules of a user, and the roles that are bound and not there. */
export interface UserRules {
  readonly rules: readonly PolicyRule[]
  readonly errors: readonly string[]
  /** Whether nobody else may allow more. */
  readonly isComplete: boolean
}

function subjectText(subject: Subject, namespace: string): string {
  const name = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name
  return `${subject.kind} ${JSON.stringify(name)}`
}

function sourceText({ namespace, name, roleRef }: Binding, subject: Subject): string {
  const binding = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding'
  const shown = namespace === '' ? name : `${name}/${namespace}`
  const role = `${roleRef.kind} ${JSON.stringify(roleRef.name)}`
  return `${binding} ${JSON.stringify(shown)} of ${role} to ${subjectText(subject, namespace)}`
}

/** Under which key the index has a subject: users and groups are different; undefined for one that is nobody. */
function subjectKey(subject: Subject, namespace: string): string | undefined {
  if (subject.kind === 'User') return `u${subject.name}`
  if (subject.kind === 'Group') return `g${subject.name}`
  const inNamespace = subject.namespace || namespace
  if (subject.kind !== 'ServiceAccount' || inNamespace === '') return undefined
  return `usystem:serviceaccount:${inNamespace}:${subject.name}`
}

const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** What may allow one kind of request of one user. */
interface Candidates {
  readonly covering: readonly { readonly source: string; readonly rules: readonly PolicyRule[] }[]
  /** Roles that are bound and not there. */
  readonly errors: readonly string[]
}

/** Kinds of requests that are remembered, and how long what tells them apart may be. */
const mostCandidates = 4096
const longestKey = 4096

/** A request without its name, and who asks: unambiguous, whatever is in the names of users and groups. */
function questionKey({ name, groups }: User, asked: Attributes): string {
  const what = asked.isResource ? [asked.group, asked.resource, asked.subresource, asked.namespace] : asked.path
  return JSON.stringify([asked.verb, what, name, groups])
}

/** One state of the cluster's roles and bindings. */
export class RbacPolicy {
  readonly #objects: RbacObjects
  /** By namespace ('' for the cluster), then by subject. */
  readonly #grants = new Map<string, Map<string, Grant[]>>()
  readonly #candidates = new Map<string, Candidates>()

  constructor(objects: RbacObjects) {
    this.#objects = objects
    for (const [order, binding] of objects.bindings.entries()) this.#add(binding, order)
  }

  /** Whether some rule of the user allows what is asked for. */
  authorize(user: User, attributes: Attributes): Decision {
    const { covering, errors } = this.#candidatesFor(user, attributes)
    const found = covering.find(({ rules }) => !attributes.isResource || rules.some((rule) => allowsName(rule, attributes.name)))
    if (found !== undefined) return { allowed: true, reason: `RBAC: allowed by ${found.source}` }
    // Roles that are not there count where they would have been looked at.
    return { allowed: false, reason: errors.length === 0 ? '' : `RBAC: ${aggregate(errors)}` }
  }

  /** What of a user's bindings may allow a request, whatever its name is: found once for each user and kind of request. */
  #candidatesFor(user: User, attributes: Attributes): Candidates {
    const key = questionKey(user, attributes)
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
    if (this.#candidates.size >= mostCandidates) this.#candidates.clear()
    if (key.length <= longestKey) this.#candidates.set(key, found)
    return found
  }

  /** All rules that apply to a user in a namespace ('' for the cluster alone). */
  rulesFor(user: User, namespace: string): UserRules {
    const grants = [...this.#grantsOf(user, namespace)]
    return {
      rules: grants.flatMap((grant) => grant.rules ?? []),
      errors: grants.filter((grant) => grant.rules === undefined).map((grant) => missing(grant.binding)),
      isComplete: true,
    }
  }

  /** The rules of the role that a binding in the namespace refers to; undefined where it is not there. */
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
    for (const subject of subjects) {
      const key = subjectKey(subject, namespace)
      if (key === undefined) continue
      const grant = { binding, source: sourceText(binding, subject), rules, order }
      const others = bySubject.get(key)
      if (others === undefined) bySubject.set(key, [grant])
      else others.push(grant)
    }
  }

  /** The bindings that apply, the cluster's first, each once. */
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
    for (const grant of lists.flat()) if (!byBinding.has(grant.binding)) byBinding.set(grant.binding, grant)
    return [...byBinding.values()].sort((a, b) => a.order - b.order)
  }
}

/** What is told of a role that is bound and not there. */
function missing({ roleRef }: Binding): string {
  return `${roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(roleRef.name)} not found`
}

/** Several errors as one text, each once, as Go's aggregate prints them. */
function aggregate(errors: readonly string[]): string {
  const unique = [...new Set(errors)]
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`
}
