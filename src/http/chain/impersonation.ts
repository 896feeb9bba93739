/** Acting as somebody else: Impersonate-User and its companions. Follows apiserver's impersonation filter. */
import { authorize, refusal } from '../../auth/authorizer.ts'
import { authenticatedGroup, type User, unauthenticatedGroup } from '../../auth/user.ts'
import { badRequest, forbidden } from '../../meta/errors.ts'

const extraPrefix = 'impersonate-extra-'

/** The headers of an impersonation. Fetch joins repeated headers with commas, which names of users and groups hold rarely. */
interface Asked {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

function askedOf(headers: Headers): Asked | undefined {
  const name = headers.get('impersonate-user') ?? ''
  const uid = headers.get('impersonate-uid') ?? ''
  if (name === '' && uid === '' && headers.get('impersonate-group') === null) return undefined
  const groups = (headers.get('impersonate-group') ?? '')
    .split(',')
    .map((g) => g.trim())
    .filter((g) => g !== '')
  const extra: Record<string, string[]> = Object.create(null) as Record<string, string[]>
  for (const [header, value] of headers) {
    if (header.startsWith(extraPrefix))
      extra[decodeURIComponent(header.slice(extraPrefix.length))] = value.split(',').map((v) => v.trim())
  }
  return name === '' && uid === '' && groups.length === 0 && Object.keys(extra).length === 0
    ? undefined
    : { name, uid, groups, extra }
}

/** As Go prints the user that was asked for, in the refusal of a request that names none. */
function goUser(asked: Asked): string {
  const strings = (list: readonly string[]): string => `[]string{${list.map((s) => JSON.stringify(s)).join(', ')}}`
  const extra = Object.entries(asked.extra).map(([key, values]) => `${JSON.stringify(key)}:${strings(values)}`)
  const map = `map[string][]string${extra.length === 0 ? '(nil)' : `{${extra.join(', ')}}`}`
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(asked.uid)}, Groups:${strings(asked.groups)}, Extra:${map}}`
}

/**
 * @returns the user as whom the request goes on
 * @throws ApiError 400 where groups, uid or extra come without a user, 403 where `user` may not act as another
 */
export function impersonate(request: Request, user: User): User {
  const asked = askedOf(request.headers)
  if (asked === undefined) return user
  if (asked.name === '') throw badRequest(`requested ${goUser(asked)} without impersonating a user name`)
  const attributes = {
    isResource: true,
    verb: 'impersonate',
    group: '',
    resource: 'users',
    subresource: '',
    namespace: '',
    name: asked.name,
  } as const
  if (!authorize(user, attributes)) throw forbidden({ group: '', resource: 'users' }, asked.name, refusal(user, attributes))
  const everyone = asked.name === 'system:anonymous' ? unauthenticatedGroup : authenticatedGroup
  return { ...asked, groups: asked.groups.includes(everyone) ? asked.groups : [...asked.groups, everyone] }
}
