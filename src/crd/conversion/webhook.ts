/** Calls a definition's conversion webhook. Follows webhook_converter.go of apiextensions-apiserver. */
import { postReview, WebhookCallError } from '../../clusters/webhooks/call.ts'
import type { WebhookTransport } from '../../clusters/webhooks/transport.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { newUid } from '../../meta/uid.ts'
import type { WebhookClientConfig } from '../definition.ts'
import { callFailed } from './failure.ts'
import { convertedObjects, requestText, reviewVersion } from './review.ts'

/** The timeout of upstream's client, in milliseconds. */
const patience = 30_000

/** The address of one definition's webhook, and its conversionReviewVersions. */
export interface WebhookSettings {
  readonly clientConfig: WebhookClientConfig
  readonly conversionReviewVersions: readonly string[]
}

async function post(transport: WebhookTransport, client: WebhookClientConfig, body: string): Promise<string> {
  try {
    return await postReview(transport, { client, body, timeout: patience })
  } catch (error) {
    throw error instanceof WebhookCallError ? callFailed(error.message) : error
  }
}

/**
 * Converts objects in one call.
 * @param objects whole objects
 * @param desiredApiVersion `example.com/v1`
 * @throws ConversionFailure
 */
export async function callWebhook(
  outside: WebhookTransport,
  { clientConfig, conversionReviewVersions }: WebhookSettings,
  objects: readonly JsonObject[],
  desiredApiVersion: string,
): Promise<JsonObject[]> {
  const review = { version: reviewVersion(conversionReviewVersions), uid: newUid(), desiredApiVersion, objects }
  return convertedObjects(review, await post(outside, clientConfig, requestText(review)))
}
