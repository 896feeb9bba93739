/** A client of an API server, for tests and the lab: it keeps connections, and repeats a read as Go's client does. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'

/** An API server and the token of a user. */
export interface Endpoint {
  readonly url: string
  readonly token: string
}

/** A response. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The Warning headers. */
  readonly warnings: readonly string[]
  readonly text: string
  /** Returns the body as JSON; throws if it is not JSON. */
  json<T = Record<string, unknown>>(): T
}

export interface RequestOptions {
  readonly method?: string
  /** A header with several values is sent several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Strings and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown
  /** false: as system:anonymous. */
  readonly token?: string | false
}

export interface Client extends Endpoint {
  send(path: string, options?: RequestOptions): Promise<Reply>
  /** Resolves when the response begins; its body is a stream. */
  open(path: string, options?: RequestOptions): Promise<IncomingMessage>
  /** Closes the connections. */
  close(): void
}

const bytesOf = (body: unknown): string | Uint8Array | undefined =>
  body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)

function headersOf({ headers, token }: RequestOptions, own: string, body: string | Uint8Array | undefined): OutgoingHttpHeaders {
  const bearer = token === false ? {} : { authorization: `Bearer ${token ?? own}` }
  // Node sends no Content-Length for the body of a DELETE by default.
  const type = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return { accept: 'application/json', ...bearer, ...type, ...(headers as OutgoingHttpHeaders) }
}

/**
 * Makes a client of a server on this machine.
 * @param ca the authority of its certificate; without it any certificate will do
 */
export function clientOf({ url, token }: Endpoint, ca?: string): Client {
  // The server closes idle connections after 5 s; a client that gives them up earlier does not send into one that is being closed.
  const agent = new Agent({ keepAlive: true, timeout: 2_000, ...(ca === undefined ? { rejectUnauthorized: false } : { ca }) })
  const open = (path: string, options: RequestOptions = {}): Promise<IncomingMessage> => {
    const body = bytesOf(options.body)
    const headers = headersOf(options, token, body)
    const method = options.method ?? 'GET'
    // Node asks TLS for the host of the header, which must be a name there.
    const serverName = /^[a-z0-9.:-]*[a-z0-9]$/i.test(String(headers.host ?? 'none')) ? {} : { servername: '' }
    const { hostname, port } = new URL(url)
    return new Promise((done, failed) => {
      const attempt = (): void => {
        let begun = false
        const sent = request({ agent, host: hostname, port, path, method, headers, ...serverName }, (response) => {
          begun = true
          done(response)
        })
        sent.on('error', (error: NodeJS.ErrnoException) => {
          // Go's client, too, repeats a read that was sent on an idle connection just as the server closed it.
          if (!begun && method === 'GET' && sent.reusedSocket && error.code === 'ECONNRESET') attempt()
          else failed(error)
        })
        sent.end(body)
      }
      attempt()
    })
  }
  const send = async (path: string, options?: RequestOptions): Promise<Reply> => {
    const response = await open(path, options)
    // A chunk may end within a character.
    response.setEncoding('utf8')
    let text = ''
    for await (const chunk of response) text += String(chunk)
    const { statusCode: status = 0, headers } = response
    const warnings = response.headersDistinct.warning ?? []
    return { status, headers, warnings, text, json: <T>() => JSON.parse(text) as T }
  }
  return { url, token, open, send, close: () => agent.destroy() }
}
