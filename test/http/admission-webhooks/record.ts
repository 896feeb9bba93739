/**
 * Records the matrix of admission webhooks from a kube-apiserver: `node record.ts URL TOKEN > recorded.jsonl`. The server must be new:
 * the cases create objects and do not delete them.
 */
import { Agent, request } from 'node:https'
import { type CaseRequest, cases } from './cases.ts'
import { runCase, type Send } from './run.ts'
import { startWebhookServer } from './webhook-server.ts'

/** The time in milliseconds after which kube-apiserver has seen a change of its configuration. */
const settling = 150

const [url = '', token = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })

const send: Send = ({ method, path, body, type = 'application/json' }: CaseRequest) =>
  new Promise((done, failed) => {
    const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) }
    const sent = request(`${url}${path}`, { method, agent, headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      done({ status: response.statusCode ?? 0, warnings: response.headersDistinct['warning'] ?? [], text })
    })
    sent.on('error', failed)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })

const webhook = await startWebhookServer()
for (const one of cases) {
  const outcome = await runCase(one, webhook, send, () => new Promise((done) => setTimeout(done, settling)))
  process.stdout.write(`${JSON.stringify(outcome)}\n`)
}
webhook.stop()
agent.destroy()
