/** A conversion webhook for tests: an HTTPS server that converts Hosts between `host` and `port`, and `hostPort`. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { issueAuthority, issueServer } from '../../src/launcher/issue-certificates.ts'

/** An object in a ConversionReview. */
export interface Host {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly spec?: Readonly<Record<string, unknown>>
}

/** The request of a ConversionReview. */
export interface ReviewRequest {
  readonly uid: string
  readonly desiredAPIVersion: string
  readonly objects: readonly Host[]
}

/** The response: of a ConversionReview, or other bytes; undefined closes the connection. */
export type Answer =
  | { readonly response: unknown }
  | { readonly status: number; readonly text: string; readonly type: string }
  | undefined

/** A running webhook. */
export interface ConversionWebhook {
  readonly port: number
  /** The PEM of its CA. */
  readonly authority: string
  /** All requests so far, the oldest first. */
  readonly requests: ReviewRequest[]
  /** Makes the response to each request; may be replaced. */
  answer: (request: ReviewRequest) => Answer | Promise<Answer>
  stop(): void
}

/** Converts a Host to the other version; other fields stay. */
export function converted(host: Host, apiVersion: string): Host {
  const { host: name, port, hostPort, ...spec } = host.spec ?? {}
  if (!apiVersion.endsWith('/v1')) {
    const [first, second] = String(hostPort).split(':')
    return { ...host, apiVersion, spec: { ...spec, host: first, port: second } }
  }
  return { ...host, apiVersion, spec: { ...spec, hostPort: `${name}:${port}` } }
}

/** Returns a successful response. */
export const success = ({ uid, desiredAPIVersion, objects }: ReviewRequest): { readonly response: unknown } => ({
  response: {
    uid,
    result: { status: 'Success' },
    convertedObjects: objects.map((object) => converted(object, desiredAPIVersion)),
  },
})

/** Starts the webhook with a certificate for 127.0.0.1 and localhost. */
export async function startWebhook(): Promise<ConversionWebhook> {
  const authority = await issueAuthority()
  const { certificate: cert, key } = await issueServer(authority, ['127.0.0.1', 'localhost', 'converter.default.svc'])
  const requests: ReviewRequest[] = []
  const server = createServer({ cert, key }, async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { apiVersion, request: review } = JSON.parse(text) as { readonly apiVersion: string; readonly request: ReviewRequest }
    requests.push(review)
    const answer = await webhook.answer(review)
    if (answer === undefined) {
      request.socket.destroy()
      return
    }
    const whole = 'response' in answer
    response.writeHead(whole ? 200 : answer.status, { 'content-type': whole ? 'application/json' : answer.type })
    response.end(whole ? JSON.stringify({ apiVersion, kind: 'ConversionReview', ...answer }) : answer.text)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const webhook: ConversionWebhook = {
    port: (server.address() as AddressInfo).port,
    authority: authority.certificate,
    requests,
    answer: success,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
  return webhook
}
