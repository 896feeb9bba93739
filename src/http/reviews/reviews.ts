/** The reviews by `<resource>.<group>`. */
import { localSubjectAccessReview, selfSubjectAccessReview, selfSubjectRulesReview, subjectAccessReview } from './access.ts'
import { selfSubjectReview, tokenReview } from './identity.ts'
import { type Reviewer, reviewed } from './review.ts'

const reviewers: Readonly<Record<string, Reviewer>> = {
  'localsubjectaccessreviews.authorization.k8s.io': localSubjectAccessReview,
  'selfsubjectaccessreviews.authorization.k8s.io': selfSubjectAccessReview,
  'selfsubjectreviews.authentication.k8s.io': selfSubjectReview,
  'selfsubjectrulesreviews.authorization.k8s.io': selfSubjectRulesReview,
  'subjectaccessreviews.authorization.k8s.io': subjectAccessReview,
  'tokenreviews.authentication.k8s.io': tokenReview,
}

/** The handlers for POST of each review. */
export const reviews = Object.fromEntries(Object.entries(reviewers).map(([name, reviewer]) => [name, reviewed(reviewer)]))
