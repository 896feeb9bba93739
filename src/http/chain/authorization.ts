/** Whether the request may go on: asked before anything of a collection is touched. */
import type { Attributes, Decision } from '../../auth/attributes.ts'
import { type Authorizer, refusal } from '../../auth/authorizer.ts'
import { ApiError, forbidden, internalError } from '../../meta/errors.ts'
import { parseFieldSelector, requiredFieldValue } from '../../meta/field-selector.ts'
import { parseLabelSelector } from '../../meta/label-selector.ts'
import { isPathSegmentName } from '../../meta/names.ts'
import { queryInteger, queryText } from '../../meta/query.ts'
import type { User } from '../../meta/user.ts'
import type { RequestInfo } from './request-info.ts'

/** The only name that a list or watch can give; '' where it is for more, or its parameters cannot be read. */
function selectedName(query: URLSearchParams): string {
  if (!query.has('fieldSelector')) return ''
  try {
    queryInteger(query, 'limit')
    queryInteger(query, 'timeoutSeconds')
    parseLabelSelector(queryText(query, 'labelSelector'))
    const name = requiredFieldValue(parseFieldSelector(queryText(query, 'fieldSelector')), 'metadata.name') ?? ''
    return isPathSegmentName(name).length === 0 ? name : ''
  } catch {
    // Who may list hears of it when the list is made.
    return ''
  }
}

/** What has to be allowed: who may get one object may also list and watch it alone. */
export function attributesOf(info: RequestInfo, query: URLSearchParams): Attributes {
  if (!info.isResource || info.name !== '' || info.verbPrefix !== '') return info
  if (info.verb !== 'list' && info.verb !== 'watch') return info
  const name = selectedName(query)
  return name === '' ? info : { ...info, name }
}

/**
 * @param decided learns of the decision, whatever it is
 * @throws ApiError 403 with kube-apiserver's text, 500 where somebody who decides could not be asked
 */
export async function requireAuthorization(
  authorizer: Authorizer,
  user: User,
  attributes: Attributes,
  decided?: (decision: Decision) => void,
): Promise<void> {
  const decision = await authorizer.authorize(user, attributes)
  decided?.(decision)
  const { allowed, reason, error } = decision
  if (allowed) return
  if (error !== undefined) throw internalError(error)
  const why = refusal(user, attributes, reason)
  if (!attributes.isResource) throw new ApiError(403, 'Forbidden', `forbidden: ${why}`, {})
  throw forbidden({ group: attributes.group, resource: attributes.resource }, attributes.name, why)
}
