/**
 * Impersonation, with or without constraints: authorizes the requestor to act as another user. Follows KEP-5284 (constrained
 * impersonation) and the impersonation filter of apiserver.
 */

import { goQuote } from '../go/text.ts'
import { type ApiError, forbidden } from '../meta/errors.ts'
import { LruCache } from '../meta/lru-cache.ts'
import { isDns1123Subdomain } from '../meta/names.ts'
import type { User } from '../meta/user.ts'
import type { Attributes, ResourceAttributes } from './attributes.ts'
import { type Authorizer, forbiddenMessage } from './authorizer.ts'
import { accountGroups, accountOf, nodeOf } from './service-account-names.ts'
import { authenticatedGroup, mastersGroup, unauthenticatedGroup } from './user.ts'

const anonymousName = 'system:anonymous'
const nodeNameKey = 'authentication.kubernetes.io/node-name'
const group = 'authentication.k8s.io'

/** From this number of groups or values on, a permission for all of them is checked first. */
const many = 4

/** One mode of impersonation. */
interface Mode {
  /** `impersonate`, or with a constraint `impersonate:<mode>`. */
  readonly verb: string
  /** The prefix of the verb that the request itself needs in addition; '' if it needs none. */
  readonly onVerb: string
  /** The API group in the attributes for users and groups. */
  readonly group: string
  readonly constrained: boolean
  readonly applies: (wanted: User, requestor: User) => boolean
}

const onlyName = ({ uid, groups, extra }: User): boolean => uid === '' && groups.length === 0 && Object.keys(extra).length === 0

const constrained = (mode: string, applies: Mode['applies']): Mode => ({
  verb: `impersonate:${mode}`,
  onVerb: `impersonate-on:${mode}:`,
  group,
  constrained: true,
  applies,
})

function isOwnNode(wanted: User, requestor: User): boolean {
  const node = nodeOf(wanted.name)
  const [own, ...others] = requestor.extra[nodeNameKey] ?? []
  return node !== undefined && accountOf(requestor.name) !== undefined && others.length === 0 && own === node
}

/** The modes in the order in which they are tried. */
const modes: readonly Mode[] = [
  constrained('associated-node', (wanted, requestor) => onlyName(wanted) && isOwnNode(wanted, requestor)),
  constrained('arbitrary-node', (wanted) => onlyName(wanted) && nodeOf(wanted.name) !== undefined),
  constrained('serviceaccount', (wanted) => onlyName(wanted) && accountOf(wanted.name) !== undefined),
  constrained('user-info', (wanted) => nodeOf(wanted.name) === undefined && accountOf(wanted.name) === undefined),
  { verb: 'impersonate', onVerb: '', group: '', constrained: false, applies: () => true },
]

/** Returns the 403 for attributes that name the impersonated user, group or value. */
function refused(user: User, attributes: Attributes, why: string): ApiError {
  const target = attributes.isResource ? attributes : { group: '', resource: '', name: '' }
  return forbidden(target, target.name, forbiddenMessage(user, attributes, why))
}

/** The maximum number of requestors whose last mode is cached. */
const mostRequestors = 1000

/**
 * The modes that last allowed the requestors of one cluster, by their names. Such a mode is tried first, and if all modes refuse, its
 * refusal is the answer. As in kube-apiserver they belong to one process: another process may answer with another mode's refusal.
 */
export class LastModes extends LruCache<string, Mode> {
  constructor() {
    super(mostRequestors)
  }
}

/** The authorizer of a request, and the last modes of its cluster. */
export interface ImpersonationContext extends Pick<Authorizer, 'authorize'> {
  readonly lastModes: LastModes
}

/** The authorization checks of one mode for one requestor. */
class Attempt {
  readonly #authorizer: Pick<Authorizer, 'authorize'>
  readonly #requestor: User
  readonly #mode: Mode

  constructor(authorizer: Pick<Authorizer, 'authorize'>, requestor: User, mode: Mode) {
    this.#authorizer = authorizer
    this.#requestor = requestor
    this.#mode = mode
  }

  /** Returns the first refusal among all parts of `wanted`; undefined if all are allowed. */
  async refusal(wanted: User, request: Attributes): Promise<ApiError | undefined> {
    const { onVerb } = this.#mode
    const on = onVerb === '' ? undefined : await this.#check({ ...request, verb: `${onVerb}${request.verb}` })
    return (
      on ??
      (await this.#check(this.#nameAttributes(wanted.name))) ??
      (wanted.uid === '' ? undefined : await this.#check(this.#attributes(group, 'uids', wanted.uid))) ??
      (await this.#checkGroups(wanted.groups)) ??
      (await this.#checkExtra(wanted.extra))
    )
  }

  async #check(attributes: Attributes): Promise<ApiError | undefined> {
    const { allowed, reason } = await this.#authorizer.authorize(this.#requestor, attributes)
    return allowed ? undefined : refused(this.#requestor, attributes, reason)
  }

  #attributes(ofGroup: string, resource: string, name: string, more: Partial<ResourceAttributes> = {}): ResourceAttributes {
    const { verb } = this.#mode
    return { isResource: true, verb, group: ofGroup, resource, subresource: '', namespace: '', name, ...more }
  }

  #nameAttributes(name: string): ResourceAttributes {
    const { verb, constrained: isConstrained, group: ofGroup } = this.#mode
    const node = isConstrained ? nodeOf(name) : undefined
    if (node !== undefined) return this.#attributes(ofGroup, 'nodes', verb === 'impersonate:associated-node' ? '*' : node)
    const account = accountOf(name)
    if (account === undefined) return this.#attributes(ofGroup, 'users', name)
    return this.#attributes(ofGroup, 'serviceaccounts', account.name, { namespace: account.namespace })
  }

  async #checkGroups(groups: readonly string[]): Promise<ApiError | undefined> {
    const attributesOf = (name: string): ResourceAttributes => this.#attributes(this.#mode.group, 'groups', name)
    if (this.#mode.constrained) {
      if (groups.includes('')) return this.#never(attributesOf(''), 'impersonating the empty string group is not allowed')
      if (groups.includes(mastersGroup)) {
        return this.#never(attributesOf(mastersGroup), 'impersonating the system:masters group is not allowed')
      }
      if (groups.length >= many && (await this.#check(attributesOf('*'))) === undefined) return undefined
    }
    return this.#firstRefusal(groups.map(attributesOf))
  }

  async #checkExtra(extra: User['extra']): Promise<ApiError | undefined> {
    const attributesOf = (subresource: string, name: string): ResourceAttributes =>
      this.#attributes(group, 'userextras', name, { subresource })
    const wanted = Object.entries(extra).flatMap(([key, values]) => values.map((value) => attributesOf(key, value)))
    if (this.#mode.constrained) {
      const wrong = wrongExtra(extra)
      if (wrong !== undefined) return this.#never(attributesOf('', ''), wrong)
      if (wanted.length >= many && (await this.#check(attributesOf('*', '*'))) === undefined) return undefined
    }
    return this.#firstRefusal(wanted)
  }

  async #firstRefusal(wanted: readonly ResourceAttributes[]): Promise<ApiError | undefined> {
    for (const attributes of wanted) {
      const refusedOne = await this.#check(attributes)
      if (refusedOne !== undefined) return refusedOne
    }
    return undefined
  }

  #never(attributes: ResourceAttributes, why: string): ApiError {
    return refused(this.#requestor, attributes, why)
  }
}

/** Whether a key has the form `example.com/path`. */
function isDomainPrefixedPath(key: string): boolean {
  const [, domain, path] = /^([^/]*)\/(.+)$/.exec(key) ?? []
  return domain !== undefined && path !== undefined && isDns1123Subdomain(domain).length === 0
}

function invalidKey(key: string): string {
  const why = `extra.key: Invalid value: ${goQuote(key)}: must be a domain-prefixed path (such as "acme.io/foo")`
  return `impersonating an invalid key in extra is not allowed: ${why}`
}

/** Returns the error in the extra values that constrained modes do not accept; undefined if all are valid. */
function wrongExtra(extra: User['extra']): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed'
    if (!isDomainPrefixedPath(key)) return invalidKey(key)
    if (values.length === 0) return 'impersonating empty values in extra is not allowed'
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed'
  }
  return undefined
}

/** Returns the impersonated user, with the groups that the name implies. */
function impersonated(wanted: User, mode: Mode): User {
  const account = accountOf(wanted.name)
  const node = mode.constrained ? nodeOf(wanted.name) : undefined
  const given = wanted.groups
  const groups = given.length > 0 ? given : account ? accountGroups(account.namespace) : node ? ['system:nodes'] : []
  const everyone = wanted.name === anonymousName ? unauthenticatedGroup : authenticatedGroup
  const complete = groups.includes(everyone) || groups.includes(unauthenticatedGroup)
  return { ...wanted, groups: complete ? groups : [...groups, everyone] }
}

/**
 * Authorizes an impersonated request.
 * @param wanted the user of the Impersonate-* headers, unchanged
 * @param request the attributes of the request itself
 * @returns the user as whom the request continues
 * @throws ApiError 403 if no mode allows it: the refusal of the mode that last allowed the requestor, else of the first that
 * applies
 */
export async function authorizeImpersonation(
  context: ImpersonationContext,
  requestor: User,
  wanted: User,
  request: Attributes,
): Promise<User> {
  const known = context.lastModes
  const last = known.get(requestor.name)
  const ordered = last === undefined ? modes : [last, ...modes.filter((mode) => mode !== last)]
  let first: ApiError | undefined
  for (const mode of ordered) {
    if (!mode.applies(wanted, requestor)) continue
    const refusedOne = await new Attempt(context, requestor, mode).refusal(wanted, request)
    if (refusedOne === undefined) {
      known.set(requestor.name, mode)
      return impersonated(wanted, mode)
    }
    first ??= refusedOne
  }
  throw first ?? forbidden({ group: '', resource: 'users' }, wanted.name, 'impersonation is not allowed')
}
