/**
 * Records the matrix of admission webhooks from a kube-apiserver: `node record.ts URL TOKEN [NAME] > conformance/recorded/admission-webhooks.jsonl`. The server must be
 * new: the cases create objects and do not delete them.
 */
import { Agent, request } from 'node:https'
import type { CaseRequest } from './case-parts.ts'
import { cases } from './cases.ts'
import { runCase, type Send } from './run.ts'
import { startWebhookServer } from './webhook-server.ts'

/** The time in milliseconds after which kube-apiserver has seen a change of its configuration. */
const settling = 150

const [url = '', token = '', only] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })

const send: Send = ({ method, path, body, type = 'application/json' }: CaseRequest) =>
  new Promise((done, failed) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${token}`,
      'content-length': Buffer.byteLength(text),
      ...(body !== undefined && { 'content-type': type }),
    }
    const sent = request(`${url}${path}`, { method, agent, headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      done({ status: response.statusCode ?? 0, warnings: response.headersDistinct.warning ?? [], text })
    })
    sent.on('error', failed)
    sent.end(text)
  })

const webhook = await startWebhookServer()
for (const one of cases.filter(({ name }) => only === undefined || only === name)) {
  const outcome = await runCase(one, webhook, send, () => new Promise((done) => setTimeout(done, settling)))
  process.stdout.write(`${JSON.stringify(outcome)}\n`)
}
webhook.stop()
agent.destroy()
