/** Reviews of images by the backend of the plugin ImagePolicyWebhook. Follows ImageReview of imagepolicy.k8s.io/v1alpha1. */
import type { ImageReviewResult, ImageReviewSpec } from '../../clusters/lookups.ts'
import type { ImagePolicyConfiguration } from '../../config/admission/documents.ts'
import type { FetchOf } from '../ca-fetch.ts'
import { WebhookClient, WebhookError } from './client.ts'
import { ResponseCache } from './response-cache.ts'
import { readImagePolicyEndpoint } from './server-credentials.ts'

/** The timeout of a review in milliseconds, and the maximum number of cached results. */
const timeout = 30_000
const mostResults = 1024

function resultOf(status: Readonly<Record<string, unknown>>): ImageReviewResult {
  const { allowed = false, reason = '', auditAnnotations = {} } = status
  const annotations = Object.entries(typeof auditAnnotations === 'object' && auditAnnotations !== null ? auditAnnotations : {})
  return {
    allowed: allowed === true,
    reason: typeof reason === 'string' ? reason : '',
    auditAnnotations: Object.fromEntries(annotations.filter(([, value]) => typeof value === 'string')),
  }
}

/** Calls the backend, and caches its responses. */
export class ImageReviews {
  readonly #client: WebhookClient
  readonly #configuration: ImagePolicyConfiguration
  readonly #results: ResponseCache<ImageReviewResult>

  /** @throws Error if the CA of the backend cannot be trusted here */
  constructor(configuration: ImagePolicyConfiguration, fetchOf: FetchOf, now: () => number = Date.now) {
    this.#client = new WebhookClient(readImagePolicyEndpoint(configuration), fetchOf, timeout)
    this.#configuration = configuration
    this.#results = new ResponseCache(mostResults, now)
  }

  /** Returns the decision about images, or the problem with the backend. */
  async review(spec: ImageReviewSpec): Promise<ImageReviewResult | { readonly problem: string }> {
    const key = JSON.stringify(spec)
    const known = this.#results.get(key)
    if (known !== undefined) return known
    const review = {
      kind: 'ImageReview',
      apiVersion: 'imagepolicy.k8s.io/v1alpha1',
      metadata: {},
      spec,
      status: { allowed: false },
    }
    try {
      const result = resultOf(await this.#client.review(review))
      const { allowTtl, denyTtl } = this.#configuration
      this.#results.set(key, result, result.allowed ? allowTtl : denyTtl)
      return result
    } catch (error) {
      if (error instanceof WebhookError) return { problem: error.message }
      throw error
    }
  }
}
