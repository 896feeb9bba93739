/** An API of Cloudflare on loopback, for the real wrangler: it keeps uploads, and runs the last one in workerd at its address. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { freePort } from '../../scripts/free-port.ts'
import { servingCertificate } from '../../src/launcher/certificates.ts'
import { openDataDirectory, writePrivateFile } from '../../src/launcher/data-directory.ts'

/** A binding of an uploaded Worker. */
interface Binding {
  readonly name: string
  readonly type: string
  readonly text?: string
  readonly class_name?: string
}

/** An upload of a Worker. */
export interface Upload {
  readonly metadata: {
    readonly main_module: string
    readonly compatibility_date: string
    readonly bindings: readonly Binding[]
    readonly migrations?: unknown
    readonly code_update_strategy?: unknown
  }
  readonly modules: ReadonlyMap<string, string>
}

const textsOf = ({ metadata }: Upload, type: string): Record<string, string> =>
  Object.fromEntries(metadata.bindings.filter((one) => one.type === type).map(({ name, text = '' }) => [name, text]))

export const variablesOf = (upload: Upload): Record<string, string> => textsOf(upload, 'plain_text')
export const secretsOf = (upload: Upload): Record<string, string> => textsOf(upload, 'secret_text')

/** The API, and the address at which clients reach the Worker that was uploaded last. */
export class FakeCloudflare {
  readonly uploads: Upload[] = []
  /** Method and path of each request. */
  readonly requests: string[] = []
  /** Variables of the environment for `edgeplane`. */
  environment: Readonly<Record<string, string>> = {}
  /** The address of the Worker. */
  url = ''
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #folder: string
  #worker: Miniflare | undefined
  #secrets: Record<string, string> = {}
  #tls: { readonly port: number; readonly httpsKey: string; readonly httpsCert: string } | undefined

  /** @param folder for its certificate */
  constructor(folder: string) {
    this.#folder = folder
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port: apiPort } = this.#server.address() as AddressInfo
    const port = await freePort()
    const {
      key,
      certificate,
      authority = '',
    } = await servingCertificate(openDataDirectory(join(this.#folder, 'tls')), {
      host: '127.0.0.1',
      tls: undefined,
      settings: {},
    })
    writePrivateFile(join(this.#folder, 'ca.crt'), authority)
    this.#tls = { port, httpsKey: key, httpsCert: certificate }
    this.url = `https://127.0.0.1:${port}`
    this.environment = {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${apiPort}/client/v4`,
      CLOUDFLARE_API_TOKEN: 'a-token-of-the-account',
      CLOUDFLARE_ACCOUNT_ID: 'account',
      NODE_EXTRA_CA_CERTS: join(this.#folder, 'ca.crt'),
      WRANGLER_HIDE_BANNER: 'true',
      CI: '1',
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.dispose()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const path = (request.url ?? '').replace(/^\/client\/v4\/accounts\/account|\?.*$/g, '')
    this.requests.push(`${request.method} ${path}`)
    const isUpload = request.method === 'PUT' && /^\/workers\/scripts\/[^/]+$/.test(path)
    if (isUpload) await this.#run(await uploadIn(request, Buffer.concat(chunks)))
    response.setHeader('content-type', 'application/json')
    const found = resultOf(path, this.uploads.length > 0, Object.keys(this.#secrets))
    if (found === undefined) response.statusCode = 404
    const errors = found === undefined ? [{ code: 10_090, message: 'there is no such Worker' }] : []
    response.end(JSON.stringify({ success: found !== undefined, errors, messages: [], result: found ?? null }))
  }

  async #run(upload: Upload): Promise<void> {
    this.uploads.push(upload)
    await this.#worker?.dispose()
    const { main_module: main, compatibility_date: compatibilityDate, bindings } = upload.metadata
    // Deployments keep the secrets that they do not name.
    this.#secrets = { ...this.#secrets, ...secretsOf(upload) }
    const modules = [main, ...[...upload.modules.keys()].filter((name) => name !== main)]
    const objects = bindings.filter(({ type }) => type === 'durable_object_namespace')
    this.#worker = new Miniflare(
      convertV4MiniflareOptions({
        compatibilityDate,
        host: '127.0.0.1',
        ...this.#tls,
        modules: modules.map((path) => ({ type: 'ESModule' as const, path, contents: upload.modules.get(path) ?? '' })),
        durableObjects: Object.fromEntries(
          objects.map(({ name, class_name: className = '' }) => [name, { className, useSQLite: true }]),
        ),
        bindings: { ...variablesOf(upload), ...this.#secrets },
      }),
    )
    await this.#worker.ready
  }
}

/** Returns the result for a path; undefined for what does not exist. */
function resultOf(path: string, exists: boolean, secrets: readonly string[]): unknown {
  if (path === '/workers/subdomain') return { subdomain: 'tests' }
  if (path.startsWith('/workers/services/'))
    return exists ? { default_environment: { script: { last_deployed_from: 'wrangler' } } } : undefined
  if (path.endsWith('/secrets')) return secrets.map((name) => ({ name, type: 'secret_text' }))
  if (path.includes('/tails/') || path.startsWith('/storage/kv/')) return []
  if (path.endsWith('/deployments')) return { deployments: [] }
  if (path.startsWith('/workers/workers/'))
    return { id: 'worker', name: 'edgeplane', subdomain: { enabled: true, previews_enabled: false } }
  if (path.endsWith('/subdomain')) return { enabled: true, previews_enabled: false }
  if (/^\/workers\/scripts\/[^/]+$/.test(path))
    return { id: 'edgeplane', tag: 'tag', deployment_id: 'deployment', startup_time_ms: 50 }
  return {}
}

async function uploadIn({ headers }: IncomingMessage, body: Buffer): Promise<Upload> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()
  const modules = new Map<string, string>()
  for (const [name, value] of form) if (typeof value !== 'string') modules.set(name, await value.text())
  return { metadata: JSON.parse(String(form.get('metadata'))) as Upload['metadata'], modules }
}
