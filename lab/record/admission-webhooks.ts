/** Records the matrix of admission webhooks from a kube-apiserver. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CaseRequest } from '../../test/http/admission-webhooks/case-parts.ts'
import { cases } from '../../test/http/admission-webhooks/cases.ts'
import { runCase, type Send } from '../../test/http/admission-webhooks/run.ts'
import { startWebhookServer } from '../../test/http/admission-webhooks/webhook-server.ts'
import { command, text } from '../command.ts'
import { root } from '../root.ts'
import { referenceOptions, withReference } from '../servers.ts'

/** The time in milliseconds after which kube-apiserver has seen a change of its configuration. */
const settling = 150

export default command({
  options: {
    ...referenceOptions,
    only: text('NAME', 'plays one case'),
    out: text('FILE', 'receives the recording', join(root, 'conformance/recorded/admission-webhooks.jsonl')),
  },
  run: ({ only, out, ...values }) =>
    withReference(values, async (server) => {
      const send: Send = ({ method, path, body, type = 'application/json' }: CaseRequest) =>
        server.send(path, { method, body, headers: body === undefined ? {} : { 'content-type': type } })
      const webhook = await startWebhookServer()
      const outcomes = []
      for (const one of cases.filter(({ name }) => only === undefined || only === name)) {
        outcomes.push(await runCase(one, webhook, send, () => new Promise((done) => setTimeout(done, settling))))
      }
      writeFileSync(out, outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join(''))
      webhook.stop()
    }),
})
