/** WithImpersonation: lets a user act as another one, by the header Impersonate-User and related headers. */
import type { Attributes, Decision } from '../../auth/attributes.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import { authorizeImpersonation, type ImpersonationContext, LastModes } from '../../auth/impersonation.ts'
import { goQuote } from '../../go/text.ts'
import { ApiError, badRequest } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'
import { refusalHeaders } from './authorization.ts'
import type { Filter } from './filter.ts'
import { type HeaderLines, sentValues, separator, type ValuesOfHeaders } from './header-lines.ts'
import { askerOf } from './policy.ts'

const prefix = 'impersonate-'
const extraPrefix = `${prefix}extra-`

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

/** The requested user. Its groups and extra values may be several that the runtime has joined, if nobody can tell. */
type RequestedUser = User

/** Returns the headers of impersonation, which keep their lines; undefined if the request has none. */
function impersonationHeaders(headers: Headers): Headers | undefined {
  const others: string[] = []
  let count = 0
  for (const name of headers.keys()) {
    if (!name.startsWith(prefix)) others.push(name)
    count++
  }
  if (others.length === count) return undefined
  const own = new Headers(headers)
  for (const name of others) own.delete(name)
  return own
}

/**
 * Returns the requested user; undefined if no header of impersonation has a meaning.
 * @param shown the user as the error about a missing name shows it
 */
function requestedUserOf(headers: ValuesOfHeaders, shown: (requested: RequestedUser) => User): RequestedUser | undefined {
  // The first line of a repeated header counts, as with Go's Get.
  const first = (header: string): string => headers.get(header)?.[0] ?? ''
  const [name, uid] = [first('impersonate-user'), first('impersonate-uid')]
  const groups = headers.get('impersonate-group') ?? []
  const extra: Record<string, readonly string[]> = Object.create(null) as Record<string, readonly string[]>
  for (const [header, values] of headers) {
    if (!header.startsWith(extraPrefix)) continue
    const key = unescaped(header.slice(extraPrefix.length))
    extra[key] = [...(extra[key] ?? []), ...values]
  }
  const requested = { name, uid, groups, extra }
  if (name !== '') return requested
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined
  throw badRequest(`requested ${goUser(shown(requested))} without impersonating a user name`)
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
    const one = await isAllowed(requested)
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

/** Returns the requested user, with the values of each header as they were sent if the service tells them, and else joined. */
async function readHeaders(headers: Headers, service: HeaderLines | undefined): Promise<RequestedUser | undefined> {
  const joined = [...headers]
  if (service !== undefined && joined.some(([, value]) => value.includes(separator)))
    return requestedUserOf(await sentValues(service, headers), (requested) => requested)
  return requestedUserOf(new Map(joined.map(([name, value]) => [name, [value]])), separated)
}

/**
 * Reads `authenticatedUser` and `attributes`; sets `user`.
 * @param headerLines tells joined values from single ones; without it, they are told by the permissions of the authenticated user
 * @throws ApiError 400 for groups, uid or extra without a user name, or if joined values are ambiguous; 403 if the authenticated
 *   user may not impersonate the requested user
 */
export function withImpersonation(authorizer: Authorizer, headerLines?: HeaderLines): Filter {
  const lastModes = new LastModes()
  return (c, next) => {
    const authenticated = c.get('authenticatedUser')
    if (authenticated === undefined) throw new Error('impersonation without authentication')
    const continueAs = (user: User): Promise<void> => {
      c.set('user', user)
      return next()
    }
    const headers = impersonationHeaders(c.req.raw.headers)
    if (headers === undefined) return continueAs(authenticated)
    const asker = askerOf(c)
    const context: ImpersonationContext = {
      lastModes,
      authorize: (user: User, attributes: Attributes): Promise<Decision> => authorizer.authorize(user, attributes, asker),
    }
    const allowed = (as: User): Promise<User> => authorizeImpersonation(context, authenticated, as, c.get('attributes'))
    const impersonate = async (): Promise<User | undefined> => {
      const requested = await readHeaders(headers, headerLines)
      if (requested === undefined) return undefined
      return headerLines === undefined && isJoined(requested) ? impersonateJoined(requested, allowed) : allowed(requested)
    }
    return impersonate().then(
      (user) => {
        if (user === undefined) return continueAs(authenticated)
        c.get('audit')?.impersonated(user)
        return continueAs(user)
      },
      (error: unknown) => {
        if (error instanceof ApiError && error.code < 500) Object.assign(c.get('responseHeaders'), refusalHeaders)
        throw error
      },
    )
  }
}
