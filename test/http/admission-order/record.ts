/** Records the order of the mutating phase from a kube-apiserver: `npm run -s record:admission-order -- URL TOKEN > conformance/recorded/admission-order.jsonl`. */
import { Agent, request } from 'node:https'
import { type Create, configure, observe, orderCases, startMarkingWebhook } from './run.ts'

/** The number of recorded cases. */
const count = 60
/** The time in milliseconds after which kube-apiserver has seen the configuration. */
const settling = 4000

const [url = '', token = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })

const create: Create = (path, body) =>
  new Promise((done, failed) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = request(`${url}${path}`, { method: 'POST', agent, headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      if (response.statusCode === 201) done(JSON.parse(text))
      else failed(new Error(text))
    })
    sent.on('error', failed)
    sent.end(JSON.stringify(body))
  })

const webhook = await startMarkingWebhook()
const cases = orderCases(count)
for (const each of cases) await configure(each, webhook, create)
await new Promise((done) => setTimeout(done, settling))
const outcomes = []
for (const each of cases) outcomes.push(await observe(each, create))
for (const outcome of outcomes) process.stdout.write(`${JSON.stringify(outcome)}\n`)
webhook.stop()
agent.destroy()
