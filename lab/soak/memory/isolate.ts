/** The Worker and all Durable Objects in one isolate, as on Cloudflare in the worst case, with the inspector of V8. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { ensureBundle } from '../../../scripts/build.mjs'
import { freePort } from '../../free-port.ts'
import { root } from '../../root.ts'

export const adminToken = 'admin'

interface Isolate {
  readonly server: Miniflare
  readonly port: number
  readonly inspectorPort: number
}

/**
 * Starts the server in one isolate whose heap is as large as on Cloudflare, which makes V8 collect garbage as early as there.
 * @param cache megabytes of cached encodings
 */
export async function startIsolate(cache: string): Promise<Isolate> {
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= '--max-heap-size=128'
  const files = await ensureBundle('worker')
  const [port, inspectorPort] = [await freePort(), await freePort()]
  const server = new Miniflare(
    convertV4MiniflareOptions({
      port,
      inspectorPort,
      compatibilityDate: /compatibility_date = "([^"]+)"/.exec(readFileSync(join(root, 'wrangler.toml'), 'utf8'))?.[1] ?? '',
      modules: files.map((file) => ({ type: 'ESModule' as const, path: basename(file), contents: readFileSync(file, 'utf8') })),
      durableObjects: {
        COLLECTION: { className: 'Collection', useSQLite: true },
        CONTROL: { className: 'Control', useSQLite: true },
      },
      bindings: { ADMIN_TOKEN: adminToken, SERVICE_CIDR: '10.0.0.0/16', CACHE_MEGABYTES: cache },
    }),
  )
  await server.ready
  return { server, port, inspectorPort }
}

/** Mebibytes of the isolate. */
export interface Memory {
  readonly heap: number
  readonly buffers: number
}

/** The V8 inspector of the Worker's isolate. */
export class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: unknown) => void>()
  #last = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result: unknown }
      if (id !== undefined) this.#waiting.get(id)?.(result)
    })
  }

  static async connect(port: number): Promise<Inspector> {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[]
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '')
    await new Promise((done, failed) => {
      socket.addEventListener('open', done)
      socket.addEventListener('error', failed)
    })
    return new Inspector(socket)
  }

  async memory(): Promise<Memory> {
    const { usedSize, backingStorageSize } = (await this.#send('Runtime.getHeapUsage')) as Record<string, number>
    return { heap: (usedSize ?? 0) / 2 ** 20, buffers: (backingStorageSize ?? 0) / 2 ** 20 }
  }

  async collectGarbage(): Promise<void> {
    await this.#send('HeapProfiler.collectGarbage')
  }

  close(): void {
    this.#socket.close()
  }

  #send(method: string): Promise<unknown> {
    const id = ++this.#last
    this.#socket.send(JSON.stringify({ id, method, params: {} }))
    return new Promise((done) => this.#waiting.set(id, done))
  }
}
