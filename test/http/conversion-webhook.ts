/** A conversion webhook of a test's own: an HTTPS server that converts Hosts between `host` and `port`, and `hostPort`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueAuthority, issueServer } from '../../src/launcher/issue-certificates.ts'

/** An object as it travels. */
export interface Host {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly spec?: Readonly<Record<string, unknown>>
}

/** What a webhook is asked. */
export interface Asked {
  readonly uid: string
  readonly desiredAPIVersion: string
  readonly objects: readonly Host[]
}

/** What it answers: a whole response of a review, or other bytes; undefined: the connection is closed. */
export type Answer =
  | { readonly response: unknown }
  | { readonly status: number; readonly text: string; readonly type: string }
  | undefined

/** A running webhook. */
export interface ConversionWebhook {
  readonly port: number
  /** The PEM of its authority, and a file that holds it. */
  readonly authority: string
  readonly authorityFile: string
  /** All that it was asked so far, the oldest first. */
  readonly asked: Asked[]
  /** How it answers from now on. */
  answer: (asked: Asked) => Answer | Promise<Answer>
  stop(): void
}

/** A Host in the other version; other fields stay. */
export function converted(host: Host, apiVersion: string): Host {
  const { host: name, port, hostPort, ...spec } = host.spec ?? {}
  if (!apiVersion.endsWith('/v1')) {
    const [first, second] = String(hostPort).split(':')
    return { ...host, apiVersion, spec: { ...spec, host: first, port: second } }
  }
  return { ...host, apiVersion, spec: { ...spec, hostPort: `${name}:${port}` } }
}

/** A good answer. */
export const success = ({ uid, desiredAPIVersion, objects }: Asked): { readonly response: unknown } => ({
  response: {
    uid,
    result: { status: 'Success' },
    convertedObjects: objects.map((object) => converted(object, desiredAPIVersion)),
  },
})

/** Starts it, with a certificate for 127.0.0.1 and localhost. */
export async function startWebhook(): Promise<ConversionWebhook> {
  const authority = await issueAuthority()
  const { certificate: cert, key } = await issueServer(authority, ['127.0.0.1', 'localhost'])
  const directory = mkdtempSync(join(tmpdir(), 'edgeplane-webhook-'))
  const authorityFile = join(directory, 'ca.crt')
  writeFileSync(authorityFile, authority.certificate)
  const asked: Asked[] = []
  const server = createServer({ cert, key }, async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { apiVersion, request: review } = JSON.parse(text) as { readonly apiVersion: string; readonly request: Asked }
    asked.push(review)
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
    authorityFile,
    asked,
    answer: success,
    stop() {
      server.closeAllConnections()
      server.close()
      rmSync(directory, { recursive: true })
    },
  }
  return webhook
}
