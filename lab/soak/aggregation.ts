/**
 * Tells a story of other API servers and of nodes with real programs: k8s.io/sample-apiserver, the API layer of metrics-server and
 * the streaming server of kubelets, built from Go modules, with kubectl. The transcript must be that of kube-apiserver.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unifiedDiff } from '../../src/go/unified-diff.ts'
import { release } from '../../src/http/version.ts'
import { startServer } from '../../test/server.ts'
import { command, text } from '../command.ts'
import { recorded, releaseOf, transcriptOf } from './aggregation/transcript.ts'

function compare(transcript: string, kubectl: string): void {
  const expected = readFileSync(recorded, 'utf8')
  if (transcript === expected) {
    console.log('the transcript is that of kube-apiserver')
    return
  }
  console.log(unifiedDiff(expected, transcript))
  console.log(`the transcript was recorded with kubectl ${release.gitVersion}; this is ${releaseOf(kubectl)}`)
  process.exitCode = 1
}

export default command({
  about: `The transcript must be that of kube-apiserver. kubectl has to be of the emulated release: others word some lines in another way.
The first run builds the programs, which takes some minutes; they are kept in ~/.cache/edgeplane-aggregation.`,
  options: { kubectl: text('PATH', 'the kubectl', 'kubectl') },
  async run({ kubectl }) {
    const folder = mkdtempSync(join(tmpdir(), 'aggregation-'))
    const server = await startServer()
    try {
      compare(await transcriptOf(server.kubeconfig, kubectl, folder), kubectl)
    } finally {
      await server.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    }
  },
})
