/** SelfSubjectReview of the user that sends the request, and TokenReview of a token. */

import type { TokenReviewResult } from '../../auth/authenticator.ts'
import { bearerToken } from '../../auth/bearer-token.ts'
import { anonymous as anonymousUser } from '../../auth/user.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { badRequest } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import type { ResourceServices } from '../context.ts'
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

/**
 * Authenticates a token as an Authorization header that contains it, as kube-apiserver does: text after a space is not a part of
 * the token, and without a token before it the user is anonymous.
 * @returns undefined if there is no token and anonymous requests are not allowed everywhere
 */
async function reviewed(
  token: string,
  audiences: readonly string[],
  { authentication: { tokens, anonymous } }: ResourceServices,
): Promise<TokenReviewResult | undefined> {
  const found = bearerToken(`Bearer ${token}`)
  if (found !== undefined) return tokens.review(found, audiences)
  return anonymous.allowed === 'everywhere' ? { user: anonymousUser, audiences } : undefined
}

/** Returns the user of a token that is valid for one of the requested audiences, or for the server's own if it requests none. */
export const tokenReview: Reviewer = async (review, { services }): Promise<KubernetesObject> => {
  const { token = '', audiences = [] } = (review.spec ?? {}) as { readonly token?: string; readonly audiences?: string[] }
  if (token === '') throw badRequest('token is required for TokenReview in authentication')
  const answer = await reviewed(token, audiences.length === 0 ? services.authentication.tokens.audiences : audiences, services)
  // Fields that the client sent in the status stay if the authenticator does not set them.
  const { authenticated: _said, user = {}, error, ...given } = (review.status ?? {}) as JsonObject
  if (answer === undefined) return { ...review, status: { user, ...given, ...(error !== undefined && { error }) } }
  if ('error' in answer) return { ...review, status: { user, ...given, error: answer.error } }
  const status = { authenticated: true, user: userInfo(answer.user), audiences: [...answer.audiences] }
  return { ...review, status: { ...status, ...(error !== undefined && { error }) } }
}
