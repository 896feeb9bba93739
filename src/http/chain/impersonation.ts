/** Acting as somebody else: Impersonate-User and its companions. Follows apiserver's impersonation filter. */
import type { Attributes } from '../../auth/attributes.ts'
import type { Authorizer } from '../../auth/authorizer.ts'
import { authorizeImpersonation } from '../../auth/impersonation.ts'
import { badRequest } from '../../meta/errors.ts'
import { goQuote } from '../../meta/go-text.ts'
import type { User } from '../../meta/user.ts'

const extraPrefix = 'impersonate-extra-'

/**
 * The one value of a header. A repeated header comes from the runtime joined with a comma and a space, and a name may hold them,
 * too: to take it for two names would give somebody the rights of others.
 * @throws ApiError 400 where it may be several
 */
function oneValue(header: string, value: string): string {
  if (!value.includes(', ')) return value
  throw badRequest(`header ${header} is given more than once or has a comma and a space in its value: these cannot be told apart here`)
}

/** An extra's key; one whose escapes are broken stays as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** The user whom the headers name; undefined where they name nobody. */
function wantedOf(headers: Headers): User | undefined {
  const name = headers.get('impersonate-user') ?? ''
  const uid = headers.get('impersonate-uid') ?? ''
  const groups = headers.get('impersonate-group')
  const extra: Record<string, string[]> = Object.create(null) as Record<string, string[]>
  for (const header of headers.keys()) {
    if (!header.startsWith(extraPrefix)) continue
    const key = unescaped(header.slice(extraPrefix.length))
    extra[key] = [...(extra[key] ?? []), oneValue(header, headers.get(header) ?? '')]
  }
  const wanted = { name, uid, groups: groups === null ? [] : [oneValue('impersonate-group', groups)], extra }
  if (name !== '') return wanted
  if (uid === '' && groups === null && Object.keys(extra).length === 0) return undefined
  throw badRequest(`requested ${goUser(wanted)} without impersonating a user name`)
}

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
 * @returns the user as whom the request goes on
 * @throws ApiError 400 where groups, uid or extra come without a user, 403 where `user` may not act as another
 */
export async function impersonate(request: Request, user: User, authorizer: Authorizer, asked: Attributes): Promise<User> {
  const wanted = wantedOf(request.headers)
  return wanted === undefined ? user : authorizeImpersonation(authorizer, user, wanted, asked)
}
