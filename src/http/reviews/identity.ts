/** SelfSubjectReview of the user that sends the request, and TokenReview of a token. */

import type { JsonObject } from '../../go/json-value.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { badRequest } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import type { Reviewer } from './review.ts'

/** Returns the UserInfo of authentication.k8s.io/v1. */
function userInfo({ name, uid, groups, extra }: User): JsonObject {
  const keys = Object.keys(extra).sort()
  return {
    username: name,
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(keys.length > 0 && { extra: Object.fromEntries(keys.map((key) => [key, [...(extra[key] ?? [])]])) }),
  }
}

/** Returns the user of the request, after impersonation. */
export const selfSubjectReview: Reviewer = async (_review, { user, services }) => ({
  metadata: { creationTimestamp: rfc3339Seconds(services.now()) },
  status: { userInfo: userInfo(user) },
})

/** Returns the user of a token that is valid for one of the requested audiences, or for the server's own if it requests none. */
export const tokenReview: Reviewer = async (review, { services }): Promise<KubernetesObject> => {
  const { token = '', audiences = [] } = (review.spec ?? {}) as { readonly token?: string; readonly audiences?: string[] }
  if (token === '') throw badRequest('token is required for TokenReview in authentication')
  const { tokens } = services
  // Text after a space is not part of a token, because kube-apiserver authenticates it like an Authorization header.
  const [first = ''] = token.split(' ', 1)
  const answer = await tokens.review(first, audiences.length === 0 ? tokens.audiences : audiences)
  // Fields that the client sent in the status stay if the authenticator does not set them.
  const { authenticated: _said, user = {}, error, ...given } = (review.status ?? {}) as JsonObject
  if ('error' in answer) return { ...review, status: { user, ...given, error: answer.error } }
  const status = { authenticated: true, user: userInfo(answer.user), audiences: [...answer.audiences] }
  return { ...review, status: { ...status, ...(error !== undefined && { error }) } }
}
