/** Whether the request may go on: asked before anything of a collection is touched. */
import { type Attributes, authorize, refusal } from '../../auth/authorizer.ts'
import type { User } from '../../auth/user.ts'
import { ApiError, forbidden } from '../../meta/errors.ts'
import type { RequestInfo } from './request-info.ts'

/** @throws ApiError 403 with kube-apiserver's text */
export function requireAuthorization(user: User, info: RequestInfo): void {
  const attributes: Attributes = info
  if (authorize(user, attributes)) return
  const why = refusal(user, attributes)
  if (!info.isResource) throw new ApiError(403, 'Forbidden', `forbidden: ${why}`, {})
  throw forbidden({ group: info.group, resource: info.resource }, info.name, why)
}
