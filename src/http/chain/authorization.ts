/** Whether the request may go on: asked before anything of a collection is touched. */
import type { Attributes, Decision } from '../../auth/attributes.ts'
import { type Authorizer, refusal } from '../../auth/authorizer.ts'
import { ApiError, forbidden } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'

/**
 * @param decided learns of the decision, whatever it is
 * @throws ApiError 403 with kube-apiserver's text
 */
export async function requireAuthorization(
  authorizer: Authorizer,
  user: User,
  attributes: Attributes,
  decided?: (decision: Decision) => void,
): Promise<void> {
  const decision = await authorizer.authorize(user, attributes)
  decided?.(decision)
  const { allowed, reason } = decision
  if (allowed) return
  const why = refusal(user, attributes, reason)
  if (!attributes.isResource) throw new ApiError(403, 'Forbidden', `forbidden: ${why}`, {})
  throw forbidden({ group: attributes.group, resource: attributes.resource }, attributes.name, why)
}
