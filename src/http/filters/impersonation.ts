/** WithImpersonation: lets a user act as somebody else, by the header Impersonate-User and its companions. */
import type { Attributes } from '../../auth/attributes.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import { authorizeImpersonation } from '../../auth/impersonation.ts'
import { goQuote } from '../../go/text.ts'
import { ApiError, badRequest } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'
import type { Filter } from './filter.ts'

const extraPrefix = 'impersonate-extra-'

/** Between the values of a header that was sent more than once, as the runtime joins them for good; names may hold it, too. */
const joint = ', '

/** Of so many values the ways in which they can be read are tried. */
const mostValues = 8

/** An extra's key; one whose escapes are broken stays as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** Whom the headers name, before it is known where one name ends and the next begins. */
interface Wanted {
  readonly name: string
  readonly uid: string
  /** The values as they came; none where there is no such header. */
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** undefined where the headers name nobody. */
function wantedOf(headers: Headers): Wanted | undefined {
  const name = headers.get('impersonate-user') ?? ''
  const uid = headers.get('impersonate-uid') ?? ''
  const group = headers.get('impersonate-group')
  const extra: Record<string, string[]> = Object.create(null) as Record<string, string[]>
  for (const header of headers.keys()) {
    if (!header.startsWith(extraPrefix)) continue
    const key = unescaped(header.slice(extraPrefix.length))
    extra[key] = [...(extra[key] ?? []), headers.get(header) ?? '']
  }
  const wanted = { name, uid, groups: group === null ? [] : [group], extra }
  if (name !== '') return wanted
  if (uid === '' && group === null && Object.keys(extra).length === 0) return undefined
  throw badRequest(`requested ${goUser(separated(wanted))} without impersonating a user name`)
}

const mapExtra = (extra: User['extra'], change: (values: readonly string[]) => string[]): User['extra'] => {
  const changed = Object.create(null) as Record<string, string[]>
  for (const [key, values] of Object.entries(extra)) changed[key] = change(values)
  return changed
}

const parted = (values: readonly string[]): string[] => values.flatMap((value) => value.split(joint))

/** The user where each joint is one. */
const separated = ({ groups, extra, ...rest }: Wanted): User => ({
  ...rest,
  groups: parted(groups),
  extra: mapExtra(extra, parted),
})

/** The user where no joint is one. */
const whole = ({ groups, extra, ...rest }: Wanted): User => ({
  ...rest,
  groups: [...groups],
  extra: mapExtra(extra, (values) => [...values]),
})

/** Each name that several neighbours may be together. */
function runs(value: string): string[] {
  const parts = value.split(joint)
  if (parts.length > mostValues)
    throw badRequest(`no more than ${mostValues} values of one impersonation header can be told apart`)
  return parts.flatMap((_, from) => parts.slice(from + 1).map((_part, more) => parts.slice(from, from + more + 2).join(joint)))
}

/** Users that have nothing but one of those names. */
function* joinedUsers({ name, groups, extra }: Wanted): Generator<User> {
  for (const group of groups.flatMap(runs)) yield { name, uid: '', groups: [group], extra: {} }
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values.flatMap(runs)) yield { name, uid: '', groups: [], extra: { [key]: [value] } }
  }
}

const isJoined = ({ groups, extra }: Wanted): boolean =>
  [...groups, ...Object.values(extra).flat()].some((value) => value.includes(joint))

/** As Go prints the user that was asked for, in the refusal of a request that names none. */
function goUser({ uid, groups, extra }: User): string {
  const strings = (list: readonly string[]): string =>
    list.length === 0 ? '[]string(nil)' : `[]string{${list.map(goQuote).join(', ')}}`
  const keys = Object.keys(extra).sort()
  const entries = keys.map((key) => `${goQuote(key)}:${strings(extra[key] ?? [])}`)
  const map = `map[string][]string${keys.length === 0 ? '(nil)' : `{${entries.join(', ')}}`}`
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${strings(groups)}, Extra:${map}}`
}

/**
 * Decides what joined values mean: several names where each is allowed, one name where that is; where both are, nobody can tell.
 * To take one name for several would give its holder the rights of others.
 */
async function impersonateJoined(wanted: Wanted, allowed: (user: User) => Promise<User>): Promise<User> {
  const isAllowed = (user: User): Promise<User | undefined> => allowed(user).catch(unlessForbidden)
  let several: User
  try {
    several = await allowed(separated(wanted))
  } catch (error) {
    const one = await isAllowed(whole(wanted))
    if (one === undefined) throw error
    return one
  }
  for (const user of joinedUsers(wanted)) {
    if ((await isAllowed(user)) === undefined) continue
    throw badRequest('several values of an impersonation header cannot be told from one value with a comma and a space in it')
  }
  return several
}

function unlessForbidden(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 403) return undefined
  throw error
}

async function impersonate(wanted: Wanted, user: User, authorizer: Authorizer, attributes: Attributes): Promise<User> {
  const allowed = (as: User): Promise<User> => authorizeImpersonation(authorizer, user, as, attributes)
  return isJoined(wanted) ? impersonateJoined(wanted, allowed) : allowed(whole(wanted))
}

/**
 * Reads `authenticatedUser` and `attributes`; sets `user`. Throws ApiError 400 if groups, uid or extra come without a user, or if it
 * cannot be told whom they name; 403 if the authenticated user may not act as another.
 */
export function withImpersonation(authorizer: Authorizer): Filter {
  return (c, next) => {
    const authenticated = c.get('authenticatedUser')
    if (authenticated === undefined) throw new Error('impersonation without authentication')
    const continueAs = (user: User): Promise<void> => {
      c.set('user', user)
      return next()
    }
    const wanted = wantedOf(c.req.raw.headers)
    if (wanted === undefined) return continueAs(authenticated)
    return impersonate(wanted, authenticated, authorizer, c.get('attributes')).then((user) => {
      c.get('audit')?.impersonated(user)
      return continueAs(user)
    })
  }
}
