/** Kills a server under load of writers that share a quota, and checks the use of the quota after each start. */
import { startServer, type TestServer } from '../server.ts'

/** The number of objects that the quota allows. */
const hard = 40
const writers = 16
const path = '/api/v1/namespaces/default'
const quotaPath = `${path}/resourcequotas/q`

interface Quota {
  readonly status: { readonly used?: Readonly<Record<string, string>> }
}

/** The state after a start: the use that the quota reports when it has settled, and the objects that exist. */
export interface RoundResult {
  readonly used: number
  readonly objects: number
  readonly limit: number
  /** Milliseconds until the use was that of the objects. */
  readonly settledAfter: number
}

async function secretsOf(server: TestServer): Promise<string[]> {
  const list = (await server.send(`${path}/secrets`)).json<{ items: { metadata: { name: string } }[] }>()
  return list.items.map(({ metadata }) => metadata.name)
}

async function usedOf(server: TestServer): Promise<number> {
  const { status } = (await server.send(quotaPath)).json<Quota>()
  return Number(status.used?.secrets ?? '-1')
}

/** Creates and deletes Secrets until the server is gone; kills it after some answers. */
async function load(server: TestServer, round: number, answersBeforeKill: number): Promise<void> {
  let answers = 0
  const write = async (writer: number): Promise<void> => {
    for (let i = 0; ; i++) {
      const name = `r${round}-w${writer}-${i}`
      const created = await server
        .send(`${path}/secrets`, { method: 'POST', body: { metadata: { name } } })
        .catch(() => undefined)
      if (created === undefined) return
      answers++
      if (answers === answersBeforeKill) void server.kill()
      // Every third object stays, so that the quota is exhausted soon.
      if (created.status === 201 && i % 3 === 0) continue
      const deleted = await server.send(`${path}/secrets/${name}`, { method: 'DELETE' }).catch(() => undefined)
      if (deleted === undefined) return
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  await server.kill()
}

/** Waits until the quota's use is that of the objects, at most 20 seconds. */
async function settle(server: TestServer): Promise<RoundResult> {
  const began = Date.now()
  for (;;) {
    const [used, objects] = [await usedOf(server), (await secretsOf(server)).length]
    const settledAfter = Date.now() - began
    if (used === objects || settledAfter > 20_000) return { used, objects, limit: hard, settledAfter }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/**
 * Kills the server in each round, and starts it again on its data.
 * @param started receives each server, so that the caller can stop the last one
 */
export async function killUnderQuota(rounds: number, started: (server: TestServer) => void): Promise<RoundResult[]> {
  let server = await startServer()
  started(server)
  const quota = { metadata: { name: 'q' }, spec: { hard: { secrets: String(hard) } } }
  await server.send(`${path}/resourcequotas`, { method: 'POST', body: quota })
  await settle(server)
  const results: RoundResult[] = []
  for (let round = 0; round < rounds; round++) {
    await load(server, round, 20 + ((round * 37) % 150))
    server = await startServer({ dataDirectory: server.dataDirectory })
    started(server)
    results.push(await settle(server))
    const names = (await secretsOf(server)).filter((_, index) => index % 2 === 0)
    for (const name of names) await server.send(`${path}/secrets/${name}`, { method: 'DELETE' })
  }
  return results
}
