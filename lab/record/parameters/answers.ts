/** Sends the trials to a server and normalizes the responses for recording and comparison. */
import type { Client, Reply } from '../../../test/client.ts'
import { definition, prepared, type Trial } from './requests.ts'

/** The number of concurrent connections: each watch lasts a second. */
const connections = 64

/** Part of the names of this run: a server may have been recorded before. */
const run = Date.now().toString(36)

function send(server: Client, method: string, path: string, contentType: string, body?: string): Promise<Reply> {
  const headers = { 'user-agent': 'parameters/1', ...(body !== undefined && { 'content-type': contentType }) }
  return server.send(path, { method, headers, body })
}

/** Creates the objects for the trials. */
export async function prepare(server: Client): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  await send(server, 'POST', definitions, 'application/json', JSON.stringify(definition))
  const plains = prepared.at(-1)?.path ?? ''
  while ((await send(server, 'GET', plains, '')).status === 404) await new Promise((done) => setTimeout(done, 100))
  for (const { path, body } of prepared) {
    const { status, text } = await send(server, 'POST', path, 'application/json', JSON.stringify(body))
    if (status !== 201 && status !== 409) throw new Error(`${path} cannot be prepared: ${text}`)
  }
}

const withoutChance = (text: string): string =>
  text
    .replace(/current: \d+/, 'current: N')
    .replace(/ in record \([^)]*\)/, ' in record (N)')
    .replace(/trial-\w+-\d+/g, 'trial-N')

/**
 * Normalizes a response: a success to its status, headers and layout, which parameters affect; a refusal to its whole text
 * without random parts.
 */
function normalized({ status, headers, warnings, text }: Reply): string {
  const layout = text.includes('\n  ') ? 'pretty' : 'compact'
  const isRefusal = status >= 400 || text.includes('"type":"ERROR"')
  return [status, headers['content-type'] ?? '', ...warnings, isRefusal ? withoutChance(text) : layout].join(' ')
}

async function answerOf(server: Client, trial: Trial, index: number): Promise<string> {
  const named = (text: string): string => text.replaceAll('$N', `trial-${run}-${index}`)
  const path = named(trial.path)
  const body = trial.body && named(trial.body)
  if (trial.creates) {
    const [collection = ''] = path.split('/trial-')
    const { apiVersion, kind } = (prepared.find((each) => each.path === collection)?.body ?? {}) as Record<string, string>
    const made = JSON.stringify({ apiVersion, kind, metadata: { name: `trial-${run}-${index}` } })
    await send(server, 'POST', collection, 'application/json', made)
  }
  return normalized(await send(server, trial.method, path, trial.contentType, body))
}

/** Returns the responses in the order of the trials, of which many run concurrently. */
export async function answersTo(server: Client, all: readonly Trial[]): Promise<string[]> {
  const answers: string[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      const trial = all[index]
      if (trial !== undefined) answers[index] = await answerOf(server, trial, index)
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  return answers
}
