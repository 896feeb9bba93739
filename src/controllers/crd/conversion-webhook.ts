/** Calls a definition's conversion webhook. Follows webhook_converter.go of apiextensions-apiserver. */
import { postReview, WebhookCallError } from '../../clusters/webhooks/call.ts'
import type { WebhookTransport } from '../../clusters/webhooks/transport.ts'
import { callFailed } from '../../crd/conversion/failure.ts'
import { convertedObjects, requestText, reviewVersion } from '../../crd/conversion/review.ts'
import type { WebhookClientConfig } from '../../crd/definition.ts'
import type { CallWebhook } from '../../crd/versions.ts'
import { newUid } from '../../meta/uid.ts'

/** The timeout of upstream's client, in milliseconds. */
const patience = 30_000

async function post(transport: WebhookTransport, client: WebhookClientConfig, body: string): Promise<string> {
  try {
    return await postReview(transport, { client, body, timeout: patience })
  } catch (error) {
    throw error instanceof WebhookCallError ? callFailed(error.message) : error
  }
}

/** Returns the call of conversion webhooks through a transport. */
export const conversionCalls =
  (transport: WebhookTransport): CallWebhook =>
  async ({ clientConfig, conversionReviewVersions }, objects, desiredApiVersion) => {
    const review = { version: reviewVersion(conversionReviewVersions), uid: newUid(), desiredApiVersion, objects }
    return convertedObjects(review, await post(transport, clientConfig, requestText(review)))
  }
