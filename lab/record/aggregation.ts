/** Records the transcript of the story of other API servers and of nodes with kube-apiserver. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command, required, text } from '../command.ts'
import { frontProxyFlags } from '../front-proxy-flags.ts'
import { referenceFolder, startReference } from '../peers.ts'
import { recorded, transcriptOf } from '../soak/aggregation/transcript.ts'

export default command({
  options: { reference: required(referenceFolder), kubectl: text('PATH', 'the kubectl', 'kubectl') },
  async run({ reference, kubectl }) {
    const folder = mkdtempSync(join(tmpdir(), 'aggregation-'))
    const peer = await startReference(reference, join(folder, 'reference'), await frontProxyFlags(folder))
    try {
      writeFileSync(recorded, await transcriptOf(join(folder, 'reference/kubeconfig'), kubectl, folder))
    } finally {
      await peer.end()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    }
  },
})
