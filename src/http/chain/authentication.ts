/** Who is asking. */
import type { StaticTokens } from '../../auth/tokens.ts'
import { anonymous } from '../../auth/user.ts'
import { ApiError } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'
import { bearerProtocol } from './websocket.ts'

/** @throws ApiError 401 for a bearer token that is not valid; a request without one is anonymous */
export function authenticate(request: Request, tokens: StaticTokens): User {
  const header = request.headers.get('authorization')
  const token = header === null ? bearerProtocol(request) : bearerToken(header)
  if (token === undefined) return anonymous
  const user = tokens.authenticate(token)
  if (user === undefined) throw new ApiError(401, 'Unauthorized', 'Unauthorized')
  return user
}

/** The token of `Bearer TOKEN`, the scheme in any case; undefined for other schemes. */
function bearerToken(header: string): string | undefined {
  if (header.startsWith('Bearer ') && header.indexOf(' ', 7) < 0 && header.length > 7) return header.slice(7)
  return /^bearer +(\S+)$/i.exec(header.trim())?.[1]
}
