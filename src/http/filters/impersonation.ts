/** WithImpersonation: lets a user act as another one, by the header Impersonate-User and related headers. */
import type { Attributes, Decision } from '../../auth/attributes.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import { authorizeImpersonation, type ImpersonationContext, LastModes } from '../../auth/impersonation.ts'
import { goQuote } from '../../go/text.ts'
import { ApiError, badRequest } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'
import { refusalHeaders } from './authorization.ts'
import type { Filter } from './filter.ts'
import { askerOf } from './policy.ts'

const extraPrefix = 'impersonate-extra-'

/** The separator with which the runtime irreversibly joins the values of a repeated header. A name may contain it too. */
const separator = ', '

/** The maximum number of joined values: each possible reading of them has to be authorized. */
const mostValues = 8

/** Returns the unescaped key of an extra header; a key with broken escapes is not changed. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** The requested user, before joined values have been separated. */
interface RequestedUser {
  readonly name: string
  readonly uid: string
  /** The header's values, not separated; empty without the header. */
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Returns the requested user; undefined if the request has no impersonation headers. */
function requestedUserOf(headers: Headers): RequestedUser | undefined {
  const name = headers.get('impersonate-user') ?? ''
  const uid = headers.get('impersonate-uid') ?? ''
  const group = headers.get('impersonate-group')
  const extra: Record<string, string[]> = Object.create(null) as Record<string, string[]>
  for (const header of headers.keys()) {
    if (!header.startsWith(extraPrefix)) continue
    const key = unescaped(header.slice(extraPrefix.length))
    extra[key] = [...(extra[key] ?? []), headers.get(header) ?? '']
  }
  const requested = { name, uid, groups: group === null ? [] : [group], extra }
  if (name !== '') return requested
  if (uid === '' && group === null && Object.keys(extra).length === 0) return undefined
  throw badRequest(`requested ${goUser(separated(requested))} without impersonating a user name`)
}

const mapExtra = (extra: User['extra'], change: (values: readonly string[]) => string[]): User['extra'] => {
  const changed = Object.create(null) as Record<string, string[]>
  for (const [key, values] of Object.entries(extra)) changed[key] = change(values)
  return changed
}

const splitValues = (values: readonly string[]): string[] => values.flatMap((value) => value.split(separator))

/** Returns the user if every separator separates two values. */
const separated = ({ groups, extra, ...rest }: RequestedUser): User => ({
  ...rest,
  groups: splitValues(groups),
  extra: mapExtra(extra, splitValues),
})

/** Returns the user if no separator separates two values. */
const whole = ({ groups, extra, ...rest }: RequestedUser): User => ({
  ...rest,
  groups: [...groups],
  extra: mapExtra(extra, (values) => [...values]),
})

/** Returns each name that consists of several adjacent parts of a value. */
function runs(value: string): string[] {
  const parts = value.split(separator)
  if (parts.length > mostValues)
    throw badRequest(`no more than ${mostValues} values of one impersonation header can be told apart`)
  return parts.flatMap((_, from) =>
    parts.slice(from + 1).map((_part, more) => parts.slice(from, from + more + 2).join(separator)),
  )
}

/** Yields one user for each of these names, which has only this group or this extra value. */
function* joinedUsers({ name, groups, extra }: RequestedUser): Generator<User> {
  for (const group of groups.flatMap(runs)) yield { name, uid: '', groups: [group], extra: {} }
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values.flatMap(runs)) yield { name, uid: '', groups: [], extra: { [key]: [value] } }
  }
}

const isJoined = ({ groups, extra }: RequestedUser): boolean =>
  [...groups, ...Object.values(extra).flat()].some((value) => value.includes(separator))

/** Returns the requested user as Go prints it, for the error about impersonation headers without a user name. */
function goUser({ uid, groups, extra }: User): string {
  const strings = (list: readonly string[]): string =>
    list.length === 0 ? '[]string(nil)' : `[]string{${list.map(goQuote).join(', ')}}`
  const keys = Object.keys(extra).sort()
  const entries = keys.map((key) => `${goQuote(key)}:${strings(extra[key] ?? [])}`)
  const map = `map[string][]string${keys.length === 0 ? '(nil)' : `{${entries.join(', ')}}`}`
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${strings(groups)}, Extra:${map}}`
}

/**
 * Decides whether joined values are several names or one name: the reading for which the user is authorized is used. If both are
 * allowed, the request is ambiguous and refused: reading one name as several would grant the rights of other groups.
 * @throws ApiError 403 if neither is allowed, 400 if both are
 */
async function impersonateJoined(requested: RequestedUser, allowed: (user: User) => Promise<User>): Promise<User> {
  const isAllowed = (user: User): Promise<User | undefined> => allowed(user).catch(unlessForbidden)
  let several: User
  try {
    several = await allowed(separated(requested))
  } catch (error) {
    const one = await isAllowed(whole(requested))
    if (one === undefined) throw error
    return one
  }
  for (const user of joinedUsers(requested)) {
    if ((await isAllowed(user)) === undefined) continue
    throw badRequest('several values of an impersonation header cannot be told from one value with a comma and a space in it')
  }
  return several
}

function unlessForbidden(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 403) return undefined
  throw error
}

async function impersonate(
  requested: RequestedUser,
  user: User,
  context: ImpersonationContext,
  attributes: Attributes,
): Promise<User> {
  const allowed = (as: User): Promise<User> => authorizeImpersonation(context, user, as, attributes)
  return isJoined(requested) ? impersonateJoined(requested, allowed) : allowed(whole(requested))
}

/**
 * Reads `authenticatedUser` and `attributes`; sets `user`.
 * @throws ApiError 400 for groups, uid or extra without a user name, or if joined values are ambiguous; 403 if the authenticated
 *   user may not impersonate the requested user
 */
export function withImpersonation(authorizer: Authorizer): Filter {
  const lastModes = new LastModes()
  return (c, next) => {
    const authenticated = c.get('authenticatedUser')
    if (authenticated === undefined) throw new Error('impersonation without authentication')
    const continueAs = (user: User): Promise<void> => {
      c.set('user', user)
      return next()
    }
    const refused = (error: unknown): never => {
      if (error instanceof ApiError && error.code < 500) Object.assign(c.get('responseHeaders'), refusalHeaders)
      throw error
    }
    let requested: RequestedUser | undefined
    try {
      requested = requestedUserOf(c.req.raw.headers)
    } catch (error) {
      return refused(error)
    }
    if (requested === undefined) return continueAs(authenticated)
    const asker = askerOf(c)
    const ofRequest: ImpersonationContext = {
      lastModes,
      authorize: (user: User, attributes: Attributes): Promise<Decision> => authorizer.authorize(user, attributes, asker),
    }
    return impersonate(requested, authenticated, ofRequest, c.get('attributes')).then((user) => {
      c.get('audit')?.impersonated(user)
      return continueAs(user)
    }, refused)
  }
}
