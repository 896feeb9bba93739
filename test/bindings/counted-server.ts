/** The built Worker in miniflare, with a module around it that records every request to a Durable Object. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, Response } from 'miniflare'
import { ensureBundle } from '../../scripts/build.mjs'

export const token = 'admin'
export const host = 'https://edgeplane.example'
const recordPath = '/inner-requests'

/** A response of the Worker. */
export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

export interface SendOptions {
  readonly method?: string
  readonly body?: unknown
  /** A body that is not JSON. */
  readonly text?: string
  /** Undefined: the header is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Undefined: the administrator's; '' for an anonymous request. */
  readonly token?: string
}

/** A server whose inner requests are recorded. */
export interface CountedServer {
  /** The address at which clients on this machine reach the Worker. */
  readonly url: URL
  send(path: string, options?: SendOptions): Promise<Answer>
  /**
   * Returns the inner requests since the last call, those of Durable Objects to others included: the name of the object, and the
   * verb with the name of its object, or the inner path.
   */
  innerRequests(): Promise<string[]>
  /** Makes all requests to control objects fail, or no longer. */
  failControl(fails: boolean): Promise<void>
  stop(): Promise<void>
}

/** The module: its objects and the Worker call other objects through namespaces that record. */
const recording = (entry: string): string => `
  import worker, { Collection as C, Control as D } from './${entry}'
  let record = []
  let fails = false
  const described = (input, init) => {
    const { url, headers } = input instanceof Request ? input : { url: input, headers: new Headers(init?.headers) }
    const operation = headers.get('edgeplane-operation')
    if (operation === null) return new URL(url).pathname.replace(/^\\/v[0-9]+/, '')
    const { verb, target } = JSON.parse(operation)
    return [verb, target.namespace, target.name].filter((part) => part).join(' ')
  }
  const counted = (namespace) => ({
    idFromName: (name) => namespace.idFromName(name),
    get: (id, options) => ({
      fetch: (input, init) => {
        record.push(id.name + ': ' + described(input, init))
        if (fails && id.name.endsWith('/control')) throw new Error('the test makes it fail')
        return namespace.get(id, options).fetch(input, init)
      },
    }),
  })
  const recorded = (env) => ({ ...env, COLLECTION: counted(env.COLLECTION), CONTROL: counted(env.CONTROL) })
  export class Collection extends C { constructor(ctx, env) { super(ctx, recorded(env)) } }
  export class Control extends D { constructor(ctx, env) { super(ctx, recorded(env)) } }
  let bindings
  export default {
    fetch(request, env, context) {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '${recordPath}') {
        if (searchParams.has('fails')) fails = searchParams.get('fails') === 'true'
        return Response.json(record.splice(0))
      }
      bindings ??= recorded(env)
      return worker.fetch(request, bindings, context)
    },
  }`

/**
 * Starts a server with these settings.
 * @param internet answers the requests of the server to others
 */
export async function startCountedServer(
  settings: Readonly<Record<string, string>> = {},
  internet?: (url: string) => object,
): Promise<CountedServer> {
  const files = await ensureBundle('worker')
  const modules = files.map((file) => ({
    type: 'ESModule' as const,
    path: basename(file),
    contents: readFileSync(file, 'utf8'),
  }))
  const compatibilityDate = /compatibility_date = "([^"]+)"/.exec(readFileSync('wrangler.toml', 'utf8'))?.[1] ?? ''
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      compatibilityDate,
      modules: [{ type: 'ESModule', path: 'recording.js', contents: recording(modules[0]?.path ?? '') }, ...modules],
      durableObjects: {
        COLLECTION: { className: 'Collection', useSQLite: true },
        CONTROL: { className: 'Control', useSQLite: true },
      },
      ...(internet !== undefined && {
        outboundService: ({ url }: { readonly url: string }) => Response.json(internet(url)),
      }),
      bindings: { ADMIN_TOKEN: token, SERVICE_CIDR: '10.0.0.0/16', PLACEMENT: process.env.PLACEMENT ?? '', ...settings },
    }),
  )
  const url = await miniflare.ready
  return {
    url,
    async send(path, { method = 'GET', body, text, headers, token: given = token } = {}) {
      const all = { 'content-type': 'application/json', ...headers, ...(given !== '' && { authorization: `Bearer ${given}` }) }
      const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
      const answer = await miniflare.dispatchFetch(host + path, {
        method,
        headers: Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined),
        // A text would get a Content-Type.
        ...(sent !== undefined && { body: Buffer.from(sent) }),
      })
      answer.webSocket?.accept()
      answer.webSocket?.close()
      return { status: answer.status, text: await answer.text(), headers: Object.fromEntries(answer.headers) }
    },
    innerRequests: async () => (await (await miniflare.dispatchFetch(host + recordPath)).json()) as string[],
    failControl: async (fails) => {
      await (await miniflare.dispatchFetch(`${host}${recordPath}?fails=${fails}`)).arrayBuffer()
    },
    stop: () => miniflare.dispose(),
  }
}
