/** Calls admission webhooks. */
import { readWebhookCredentials, type WebhookCredentials } from '../../../auth/webhook/server-credentials.ts'
import type { AdmissionWebhookCall, AdmissionWebhookResult } from '../../../clusters/lookups.ts'
import { postReview, WebhookCallError } from '../../../clusters/webhooks/call.ts'
import type { WebhookTransport } from '../../../clusters/webhooks/transport.ts'
import type { AdmissionSettings } from '../../../config/admission/settings.ts'
import type { JsonObject } from '../../../go/json-value.ts'
import { newUid } from '../../../meta/uid.ts'
import { ReviewError, readReview } from './read-review.ts'

/** The timeout of a webhook without timeoutSeconds, in seconds: the longest that it may have. */
const longestTimeout = 30

const known = new WeakMap<JsonObject, WebhookCredentials>()

/** Returns the credentials for webhooks of a phase, read once. */
function credentialsFor(
  { mutatingWebhooks, validatingWebhooks }: AdmissionSettings,
  phase: AdmissionWebhookCall['phase'],
): WebhookCredentials {
  const kubeconfig = phase === 'mutating' ? mutatingWebhooks : validatingWebhooks
  if (kubeconfig === undefined) return () => undefined
  const credentials = known.get(kubeconfig) ?? readWebhookCredentials(kubeconfig)
  known.set(kubeconfig, credentials)
  return credentials
}

/** The waiting of a call. */
export interface CallLimits {
  /** The deadline of the request in milliseconds since the epoch; undefined if it has none. */
  readonly deadline?: number | undefined
  /** Ends the call when nobody waits for it any more. */
  readonly signal?: AbortSignal
}

/**
 * Calls an admission webhook with a review of its own uid.
 * @returns the verified response, or the failure, about which the failure policy decides
 */
export async function callAdmissionWebhook(
  transport: WebhookTransport,
  settings: AdmissionSettings,
  call: AdmissionWebhookCall,
  { deadline, signal }: CallLimits,
): Promise<AdmissionWebhookResult> {
  const { version, clientConfig, timeoutSeconds = longestTimeout, request } = call
  const begin = Date.now()
  const seconds = (): number => (Date.now() - begin) / 1000
  const uid = newUid()
  const body = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":{"uid":"${uid}",${request.slice(1)}}\n`
  const remaining = deadline === undefined ? Number.POSITIVE_INFINITY : deadline - begin
  const timeout = Math.max(1, Math.min(timeoutSeconds * 1000, remaining))
  const failed = (reason: string, code: number): AdmissionWebhookResult => ({
    outcome: 'failed',
    reason,
    code,
    seconds: seconds(),
  })
  try {
    const text = await postReview(transport, {
      client: clientConfig,
      body,
      timeout,
      signal,
      credentials: credentialsFor(settings, call.phase),
    })
    return { outcome: 'answered', response: readReview(text, uid, call), seconds: seconds() }
  } catch (error) {
    if (error instanceof WebhookCallError) return failed(`failed to call webhook: ${error.message}`, error.code)
    if (error instanceof ReviewError) return failed(error.message, 503)
    throw error
  }
}
