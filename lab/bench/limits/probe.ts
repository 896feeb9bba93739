/** The small read that other clients' large requests must not delay. */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { root } from '../../root.ts'
import { timedClientOf } from '../fairness/client.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'

interface Waited {
  /** The longest latency since the last call, in milliseconds. */
  readonly longest: number
  readonly refused: number
}

interface Probe {
  take(): Promise<Waited>
  end(): Promise<void>
}

/** Begins to read a small ConfigMap every 50 ms, in a thread of its own. */
export async function beginProbe(url: string, token: string): Promise<Probe> {
  const { status, text } = await timedClientOf(url, token)(configMaps, {
    method: 'POST',
    body: { metadata: { name: 'small' }, data: { a: 'b' } },
  })
  if (status !== 201) throw new Error(text)
  const workerData = { url, token, path: `${configMaps}/small` }
  const worker = new Worker(join(root, 'lab/soak/lists/stall-probe.ts'), { workerData })
  await once(worker, 'online')
  return {
    async take() {
      worker.postMessage('tell')
      return (await once(worker, 'message'))[0] as Waited
    },
    async end() {
      await worker.terminate()
    },
  }
}
