/** One process of the load: `node load.ts URL TOKEN INDEX UNTIL`. The load of an end-to-end test suite, and large definitions. */
import { setTimeout as after } from 'node:timers/promises'
import { type TimedClient, timedClientOf } from '../../bench/fairness/client.ts'
import { largeDefinition } from '../../bench/large-definitions.ts'
import { load } from '../controller-manager/load.ts'

const [url = '', token = '', index = '0', end = '0'] = process.argv.slice(2)
const until = Date.now() > Number(end) ? 0 : Number(end)
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
/** The number of definitions of each process, which are its own. */
const definitionsOfProcess = 3

/** Creates and deletes large definitions. Responses are ignored: failures because the server is slow are part of the load. */
async function largeDefinitions(client: TimedClient): Promise<void> {
  const first = Number(index) * definitionsOfProcess
  const all = Array.from({ length: definitionsOfProcess }, (_, i) => largeDefinition(first + i))
  while (Date.now() < until) {
    for (const body of all) await client(definitions, { method: 'POST', body, keep: false })
    for (const { metadata } of all) await client(`${definitions}/${metadata.name}`, { method: 'DELETE', keep: false })
    await after(1000)
  }
}

async function reading(client: TimedClient): Promise<void> {
  while (Date.now() < until) {
    await client('/openapi/v2', { headers: { 'accept-encoding': 'gzip' }, keep: false })
    await client('/api/v1/pods', { keep: false })
    await after(500)
  }
}

const client = timedClientOf(url, token)
const send = async (method: string, path: string, body?: unknown): Promise<number> =>
  (await client(path, { method, keep: false, ...(body !== undefined && { body }) })).status
await Promise.all([load(send, `soak${index}`, until), largeDefinitions(client), reading(client)])
