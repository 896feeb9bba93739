/** The lookup of the backend's decision about images. */
import type { Resolver } from './resolver.ts'

/** Asks the backend of the plugin ImagePolicyWebhook. */
export const imageReview: Resolver<'imageReview'> = async ({ services }, spec) =>
  (await services.imageReviews?.review(spec)) ?? { problem: 'there is no image policy webhook' }
