/** Calls admission webhooks. */
import { readWebhookCredentials, type WebhookCredentials } from '../../auth/webhook/server-credentials.ts'
import type { AdmissionWebhookCall, AdmissionWebhookResult } from '../../clusters/lookups.ts'
import { postReview, WebhookCallError } from '../../clusters/webhooks/call.ts'
import { admissionSettings } from '../../config/admission/settings.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { newUid } from '../../meta/uid.ts'
import { ReviewError, readReview } from './admission-review.ts'
import type { Resolver } from './resolver.ts'

/** The timeout of a webhook without timeoutSeconds, in seconds: the longest that it may have. */
const longestTimeout = 30

const known = new WeakMap<JsonObject, WebhookCredentials>()

/** Returns the credentials for webhooks of a phase, read once. */
function credentialsFor(phase: AdmissionWebhookCall['phase']): WebhookCredentials {
  const { mutatingWebhooks, validatingWebhooks } = admissionSettings()
  const kubeconfig = phase === 'mutating' ? mutatingWebhooks : validatingWebhooks
  if (kubeconfig === undefined) return () => undefined
  const credentials = known.get(kubeconfig) ?? readWebhookCredentials(kubeconfig)
  known.set(kubeconfig, credentials)
  return credentials
}

/** Calls an admission webhook with a review of its own uid. A failure is a result: the failure policy decides about it. */
export const admissionWebhook: Resolver<'admissionWebhook'> = async ({ services, deadline, request: { signal } }, call) => {
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
    const text = await postReview(services.webhooks, {
      client: clientConfig,
      body,
      timeout,
      signal,
      credentials: credentialsFor(call.phase),
    })
    return { outcome: 'answered', response: readReview(text, uid, call), seconds: seconds() }
  } catch (error) {
    if (error instanceof WebhookCallError) return failed(`failed to call webhook: ${error.message}`, error.code)
    if (error instanceof ReviewError) return failed(error.message, 503)
    throw error
  }
}
