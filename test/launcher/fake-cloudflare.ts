/**
 * An API of Cloudflare on loopback, for the real wrangler: it keeps uploads, runs the last one of the Worker and of a preview in
 * workerd at their addresses, and stores objects of R2.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { freePort } from '../../lab/free-port.ts'
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
  /** The address of the preview. */
  previewUrl = ''
  /** The objects in R2 by `BUCKET/objects/KEY`. */
  readonly objects = new Map<string, Buffer>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #folder: string
  #worker: Miniflare | undefined
  #preview: Miniflare | undefined
  #secrets: Record<string, string> = {}
  #tls: { readonly httpsKey: string; readonly httpsCert: string } | undefined

  /** @param folder for its certificate */
  constructor(folder: string) {
    this.#folder = folder
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port: apiPort } = this.#server.address() as AddressInfo
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
    this.#tls = { httpsKey: key, httpsCert: certificate }
    this.url = `https://127.0.0.1:${await freePort()}`
    this.previewUrl = `https://127.0.0.1:${await freePort()}`
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
    await this.#preview?.dispose()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const path = (request.url ?? '').replace(/^\/client\/v4\/accounts\/account|\?.*$/g, '')
    const { method = '' } = request
    this.requests.push(`${method} ${path}`)
    if (path.startsWith(bucketsPath)) {
      this.#answerObject(method, path.slice(bucketsPath.length), body, response)
      return
    }
    if (method === 'PUT' && /^\/workers\/scripts\/[^/]+$/.test(path)) await this.#deploy(await uploadIn(request, body))
    if (method === 'POST' && path.endsWith('/previews/preview/deployments'))
      await this.#deployPreview(await uploadIn(request, body))
    response.setHeader('content-type', 'application/json')
    const found = path.includes('/previews') ? this.#previewAt(method) : resultOf(path, this.uploads.length > 0, this.#secrets)
    if (found === undefined) response.statusCode = 404
    const code = path.includes('/previews') ? 10_025 : 10_090
    const errors = found === undefined ? [{ code, message: 'it does not exist' }] : []
    response.end(JSON.stringify({ success: found !== undefined, errors, messages: [], result: found ?? null }))
  }

  /** Returns the preview; undefined before it was made. */
  #previewAt(method: string): unknown {
    if (method === 'GET' && this.#preview === undefined) return undefined
    return { id: 'preview', name: 'preview', slug: 'preview', urls: [this.previewUrl], created_on: '2026-01-01T00:00:00Z' }
  }

  #answerObject(method: string, place: string, body: Buffer, response: ServerResponse): void {
    if (method === 'PUT') this.objects.set(place, body)
    const stored = this.objects.get(place)
    if (stored === undefined) response.statusCode = 404
    response.end(method === 'GET' ? stored : JSON.stringify({ success: true, errors: [], messages: [], result: {} }))
  }

  async #deploy(upload: Upload): Promise<void> {
    this.uploads.push(upload)
    await this.#worker?.dispose()
    // Deployments keep the secrets that they do not name.
    this.#secrets = { ...this.#secrets, ...secretsOf(upload) }
    this.#worker = await this.#run(upload, this.url, this.#secrets)
  }

  /** A preview has no secrets but its own. */
  async #deployPreview(upload: Upload): Promise<void> {
    this.uploads.push(upload)
    await this.#preview?.dispose()
    this.#preview = await this.#run(upload, this.previewUrl, secretsOf(upload))
  }

  async #run(upload: Upload, url: string, secrets: Readonly<Record<string, string>>): Promise<Miniflare> {
    const { main_module: main, compatibility_date: compatibilityDate, bindings } = upload.metadata
    const modules = [main, ...[...upload.modules.keys()].filter((name) => name !== main)]
    const objects = bindings.filter(({ type }) => type === 'durable_object_namespace')
    const worker = new Miniflare(
      convertV4MiniflareOptions({
        compatibilityDate,
        host: '127.0.0.1',
        port: Number(new URL(url).port),
        ...this.#tls,
        modules: modules.map((path) => ({ type: 'ESModule' as const, path, contents: upload.modules.get(path) ?? '' })),
        durableObjects: Object.fromEntries(
          objects.map(({ name, class_name: className = '' }) => [name, { className, useSQLite: true }]),
        ),
        bindings: { ...variablesOf(upload), ...secrets },
      }),
    )
    await worker.ready
    return worker
  }
}

const bucketsPath = '/r2/buckets/'

/** Returns the result for a path; undefined for what does not exist. */
function resultOf(path: string, exists: boolean, secrets: Readonly<Record<string, string>>): unknown {
  if (path === '/workers/subdomain') return { subdomain: 'tests' }
  if (path.endsWith('/domains/changeset')) return { added: [], removed: [], updated: [], conflicting: [] }
  if (path.startsWith('/workers/services/'))
    return exists ? { default_environment: { script: { last_deployed_from: 'wrangler' } } } : undefined
  if (path.endsWith('/secrets')) return Object.keys(secrets).map((name) => ({ name, type: 'secret_text' }))
  if (path.includes('/tails/') || path.startsWith('/storage/kv/')) return []
  if (path.endsWith('/deployments')) return { deployments: [] }
  if (path.startsWith('/workers/workers/'))
    return { id: 'worker', name: 'edgeplane', subdomain: { enabled: true, previews_enabled: false } }
  if (path.endsWith('/subdomain')) return { enabled: true, previews_enabled: false }
  if (/^\/workers\/scripts\/[^/]+$/.test(path))
    return { id: 'edgeplane', tag: 'tag', deployment_id: 'deployment', startup_time_ms: 50 }
  return {}
}

/** The metadata of a preview, which has its bindings by their names. */
interface PreviewMetadata {
  readonly env?: Readonly<Record<string, Omit<Binding, 'name'>>>
}

/** Reads an upload. The files of a preview have one field. */
async function uploadIn({ headers }: IncomingMessage, body: Buffer): Promise<Upload> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()
  const modules = new Map<string, string>()
  for (const [, value] of form) if (typeof value !== 'string') modules.set(value.name, await value.text())
  const metadata = JSON.parse(String(form.get('metadata'))) as Upload['metadata'] & PreviewMetadata
  const { env } = metadata
  const bindings = env === undefined ? metadata.bindings : Object.entries(env).map(([name, binding]) => ({ name, ...binding }))
  return { metadata: { ...metadata, bindings }, modules }
}
