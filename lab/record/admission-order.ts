/** Records the order of the mutating phase from a kube-apiserver. */

import { join } from 'node:path'
import { writeLines } from '../../conformance/lines.ts'
import { type Create, configure, observe, orderCases, startMarkingWebhook } from '../../test/http/admission-order/run.ts'
import { command, text } from '../command.ts'
import { root } from '../root.ts'
import { referenceOptions, withReference } from '../servers.ts'

/** The number of recorded cases. */
const count = 60
/** The time in milliseconds after which kube-apiserver has seen the configuration. */
const settling = 4000

export default command({
  options: {
    ...referenceOptions,
    out: text('FILE', 'receives the recording', join(root, 'conformance/recorded/admission-order.jsonl')),
  },
  run: ({ out, ...values }) =>
    withReference(values, async (server) => {
      const create: Create = async (path, body) => {
        const reply = await server.send(path, { method: 'POST', body })
        if (reply.status !== 201) throw new Error(reply.text)
        return reply.json()
      }
      const webhook = await startMarkingWebhook()
      const cases = orderCases(count)
      for (const each of cases) await configure(each, webhook, create)
      await new Promise((done) => setTimeout(done, settling))
      const outcomes = []
      for (const each of cases) outcomes.push(await observe(each, create))
      writeLines(out, outcomes)
      webhook.stop()
    }),
})
