import { DurableObject } from 'cloudflare:workers'

interface Bindings {
  readonly COLLECTION: DurableObjectNamespace<Collection>
  readonly ADMIN_TOKEN: string
}

/** Stores texts in one table. Replaces the product's collections. */
export class Collection extends DurableObject {
  /** POST appends the body and responds when it is durable. Every method responds with all rows. */
  override async fetch(request: Request): Promise<Response> {
    const { sql } = this.ctx.storage
    sql.exec('CREATE TABLE IF NOT EXISTS texts (value TEXT)')
    if (request.method === 'POST') sql.exec('INSERT INTO texts VALUES (?)', await request.text())
    return Response.json(
      sql
        .exec('SELECT value FROM texts')
        .toArray()
        .map((row) => row.value),
    )
  }
}

/** A class for the CONTROL binding, which the launcher requires. */
export class Control extends DurableObject {}

/** The Worker of the launcher's tests: /watch never ends, /rows is stored, all other paths respond with the bindings. */
export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/watch') return watch()
    if (pathname === '/rows') return await env.COLLECTION.get(env.COLLECTION.idFromName('rows')).fetch(request)
    const { COLLECTION, ADMIN_TOKEN, ...texts } = env
    const authorized = request.headers.get('authorization') === `Bearer ${ADMIN_TOKEN}`
    return Response.json({ authorized, bound: COLLECTION !== undefined, ...texts })
  },
}

function watch(): Response {
  const line = new TextEncoder().encode('{"type":"BOOKMARK"}\n')
  let timer: ReturnType<typeof setInterval> | undefined
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(line)
      timer = setInterval(() => controller.enqueue(line), 50)
    },
    cancel: () => clearInterval(timer),
  })
  return new Response(body, { headers: { 'content-encoding': 'identity' } })
}
