/** Who somebody is: SelfSubjectReview of the asker, TokenReview of the holder of a token. */

import type { JsonObject } from '../../go/json-value.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { badRequest } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import type { Reviewer } from './review.ts'

/** UserInfo of authentication.k8s.io/v1. */
function userInfo({ name, uid, groups, extra }: User): JsonObject {
  const keys = Object.keys(extra).sort()
  return {
    username: name,
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(keys.length > 0 && { extra: Object.fromEntries(keys.map((key) => [key, [...(extra[key] ?? [])]])) }),
  }
}

/** The asker, after impersonation. */
export const selfSubjectReview: Reviewer = async (_review, { user }) => ({
  metadata: { creationTimestamp: rfc3339Seconds(Date.now()) },
  status: { userInfo: userInfo(user) },
})

/** The holder of the token, if it is valid for one of the audiences that are asked for, or for the server itself. */
export const tokenReview: Reviewer = async (review, { services }): Promise<KubernetesObject> => {
  const { token = '', audiences = [] } = (review.spec ?? {}) as { readonly token?: string; readonly audiences?: string[] }
  if (token === '') throw badRequest('token is required for TokenReview in authentication')
  const { tokens } = services
  // What follows a space is no part of a token in a header either, which is how kube-apiserver tries it.
  const [first = ''] = token.split(' ', 1)
  const answer = await tokens.review(first, audiences.length === 0 ? tokens.audiences : audiences)
  // What the asker wrote there stays where nothing is said of it.
  const { authenticated: _said, user = {}, error, ...given } = (review.status ?? {}) as JsonObject
  if ('error' in answer) return { ...review, status: { user, ...given, error: answer.error } }
  const status = { authenticated: true, user: userInfo(answer.user), audiences: [...answer.audiences] }
  return { ...review, status: { ...status, ...(error !== undefined && { error }) } }
}
