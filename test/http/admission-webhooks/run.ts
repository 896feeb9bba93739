/** Runs the cases of the matrix against a server, ours or kube-apiserver. */
import type { Case, CaseRequest, CaseWebhook } from './case-parts.ts'
import type { WebhookServer } from './webhook-server.ts'

/** Sends a request to the server under test. */
export type Send = (
  request: CaseRequest,
) => Promise<{ readonly status: number; readonly warnings: readonly string[]; readonly text: string }>

/** The outcome of one request, without what differs from one run to the next. */
export interface Outcome {
  readonly status: number
  readonly warnings?: readonly string[]
  readonly body: unknown
}

/** The outcome of a case. */
export interface CaseOutcome {
  readonly name: string
  readonly requests: readonly Outcome[]
  /** The AdmissionReviews that were received, with their paths. */
  readonly reviews: readonly { readonly path: string; readonly review?: unknown }[]
}

const volatile: ReadonlySet<string> = new Set([
  'uid',
  'creationTimestamp',
  'resourceVersion',
  'time',
  'clusterIP',
  'clusterIPs',
  'token',
  'expirationTimestamp',
  'deletionTimestamp',
  'startTime',
  'lastTransitionTime',
])

/** Replaces what differs from one run to the next: generated values, times and the webhook's port. */
function settled(value: unknown, port: number, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => settled(each, port))
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([name]) => name !== 'managedFields')
    return Object.fromEntries(
      entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, settled(each, port, name)]),
    )
  }
  if (typeof value !== 'string') return value
  if (volatile.has(key)) return value === '' ? '' : 'SOME'
  return value
    .replaceAll(`127.0.0.1:${port}`, 'WEBHOOK')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\bgen-[a-z0-9]{5}\b/g, 'gen-NAME')
    .replace(/read tcp 127\.0\.0\.1:\d+->/g, 'read tcp 127.0.0.1:LOCAL->')
}

const named = <T>(value: T, name: string): T =>
  value === undefined ? value : (JSON.parse(JSON.stringify(value).replaceAll('CASE', name)) as T)

function configurationOf(
  { name, webhooks }: Case,
  phase: CaseWebhook['phase'],
  { port, caBundle }: WebhookServer,
): object | undefined {
  const own = webhooks.filter((each) => each.phase === phase)
  if (own.length === 0) return undefined
  const hooks = own.map(({ answer, fields }, index) => {
    const clientConfig =
      typeof answer === 'string' ? { url: `https://127.0.0.1:${port}/${answer}`, caBundle } : answer.clientConfig
    return {
      name: `h${index}.${name}.example.com`,
      clientConfig: JSON.parse(JSON.stringify(clientConfig).replaceAll('WEBHOOK', `127.0.0.1:${port}`)) as object,
      rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'pods'] }],
      objectSelector: { matchLabels: { case: name } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...fields,
    }
  })
  const kind = phase === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration'
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: `matrix-${name}` }, webhooks: hooks }
}

/** Returns the reviews without those that were sent again: kube-apiserver may admit one deletion several times. */
function withoutRepetitions({ received, port }: WebhookServer): CaseOutcome['reviews'] {
  const seen = new Map(
    received.map(({ path, review }) => [path + JSON.stringify({ ...review.request, uid: '' }), { path, review }]),
  )
  return [...seen.values()].map(({ path, review }) => ({ path, review: settled(review, port) }))
}

const configurations = (phase: CaseWebhook['phase']): string =>
  `/apis/admissionregistration.k8s.io/v1/${phase}webhookconfigurations`

/**
 * Runs a case.
 * @param settle waits until the server has seen a change of the configuration
 */
export async function runCase(one: Case, webhook: WebhookServer, send: Send, settle: () => Promise<void>): Promise<CaseOutcome> {
  const { name } = one
  for (const request of one.before ?? []) await send(named(request, name))
  for (const phase of ['mutating', 'validating'] as const) {
    const body = configurationOf(one, phase, webhook)
    if (body === undefined) continue
    const created = await send({ method: 'POST', path: configurations(phase), body })
    if (created.status !== 201) throw new Error(`${name}: ${created.text}`)
  }
  await settle()
  webhook.received.length = 0
  const requests: Outcome[] = []
  for (const request of one.requests) {
    const { status, warnings, text } = await send(named(request, name))
    let body: unknown = text
    try {
      body = JSON.parse(text)
    } catch {
      // A text that is not JSON is compared as it is.
    }
    const shown = settled(body, webhook.port)
    requests.push({ status, ...(warnings.length > 0 && { warnings }), body: shown })
  }
  const received = withoutRepetitions(webhook)
  const reviews =
    one.records === 'paths' ? received.map(({ path }) => ({ path })).sort((a, b) => (a.path < b.path ? -1 : 1)) : received
  for (const phase of ['mutating', 'validating'] as const)
    await send({ method: 'DELETE', path: `${configurations(phase)}/matrix-${name}` })
  return { name, requests, reviews }
}
