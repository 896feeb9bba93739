/** HTTP/1.1 requests and their responses over an open connection, one after the other. */

import { joined } from './tls/bytes.ts'
import type { TlsConnection } from './tls/client.ts'

/** A request. */
export interface HttpRequest {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  /** `host:port`, as in the URL. */
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The longest status line with headers. */
const longestHead = 64 * 1024

/** Reports a response that is not HTTP. */
export class HttpError extends Error {}

/** Reads a connection as lines and bytes. */
class ResponseReader {
  readonly #connection: TlsConnection
  #buffer: Uint8Array = new Uint8Array()

  constructor(connection: TlsConnection) {
    this.#connection = connection
  }

  async #more(): Promise<boolean> {
    const data = await this.#connection.read()
    if (data === undefined) return false
    this.#buffer = this.#buffer.length === 0 ? data : joined(this.#buffer, data)
    return true
  }

  /** @throws HttpError if the connection ends within the line, or the line is too long */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#buffer.indexOf(0x0a)
      if (end >= 0) {
        const text = new TextDecoder('latin1').decode(this.#buffer.subarray(0, end)).replace(/\r$/, '')
        this.#buffer = this.#buffer.slice(end + 1)
        return text
      }
      if (this.#buffer.length > longestHead)
        throw new HttpError('net/http: server response headers exceeded 65536 bytes; aborted')
      if (!(await this.#more())) throw new HttpError(this.#buffer.length === 0 ? 'EOF' : 'unexpected EOF')
    }
  }

  /** Yields exactly so many bytes. @throws HttpError if there are fewer */
  async *bytes(length: number): AsyncGenerator<Uint8Array> {
    let left = length
    while (left > 0) {
      if (this.#buffer.length === 0 && !(await this.#more())) throw new HttpError('unexpected EOF')
      const part = this.#buffer.slice(0, left)
      this.#buffer = this.#buffer.slice(part.length)
      left -= part.length
      yield part
    }
  }

  /** Whether all that has arrived was read. */
  get isEmpty(): boolean {
    return this.#buffer.length === 0
  }

  /** Yields everything up to the end of the connection. */
  async *rest(): AsyncGenerator<Uint8Array> {
    do {
      const part = this.#buffer
      this.#buffer = new Uint8Array()
      if (part.length > 0) yield part
    } while (await this.#more())
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const size = Number.parseInt((await this.line()).split(';')[0] ?? '', 16)
      if (Number.isNaN(size) || size < 0) throw new HttpError('invalid byte in chunk length')
      if (size === 0) {
        // Trailers, which are ignored, end with an empty line.
        while ((await this.line()) !== '');
        return
      }
      yield* this.bytes(size)
      await this.line()
    }
  }
}

/** The head of a response. */
interface ResponseHead {
  readonly status: number
  readonly headers: Headers
  /** Whether the server leaves the connection open after the response. */
  readonly isPersistent: boolean
}

async function headOf(reader: ResponseReader): Promise<ResponseHead> {
  for (;;) {
    const first = await reader.line()
    const found = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first)
    if (found === null)
      throw new HttpError(
        `net/http: HTTP/1.x transport connection broken: malformed HTTP response ${JSON.stringify(first.slice(0, 100))}`,
      )
    const headers = new Headers()
    for (let line = await reader.line(), length = 0; line !== ''; line = await reader.line()) {
      length += line.length
      if (length > longestHead) throw new HttpError('net/http: server response headers exceeded 65536 bytes; aborted')
      const colon = line.indexOf(':')
      if (colon > 0 && /^[\w!#$%&'*+.^`|~-]+$/.test(line.slice(0, colon)))
        headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
    }
    const status = Number(found[2])
    const isClosed = found[1] === '0' || /\bclose\b/i.test(headers.get('connection') ?? '')
    const isFramed = headers.has('content-length') || headers.has('transfer-encoding') || status === 204
    if (status >= 200) return { status, headers, isPersistent: isFramed && !isClosed }
  }
}

function bodyOf(reader: ResponseReader, status: number, headers: Headers): AsyncGenerator<Uint8Array> | undefined {
  if (status === 204 || status === 304) return undefined
  if (/\bchunked\b/i.test(headers.get('transfer-encoding') ?? '')) return reader.chunks()
  const length = headers.get('content-length')
  if (length === null) return reader.rest()
  if (!/^\d{1,15}$/.test(length)) throw new HttpError('bad Content-Length')
  return reader.bytes(Number(length))
}

const highestStatus = 599

/** The state of a connection after a response: it may be used again, or it must be closed. */
export type ConnectionState = 'idle' | 'over'

/** Returns a stream that reads from a generator when its reader wants more, and calls `ended` when it is done or given up. */
function streamOf(
  generator: AsyncGenerator<Uint8Array>,
  ended: (state: ConnectionState) => void,
  after: () => ConnectionState,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await generator.next()
        if (!done) {
          controller.enqueue(value)
          return
        }
        controller.close()
        ended(after())
      } catch (error) {
        ended('over')
        throw error
      }
    },
    // A generator that waits for data is not waited for.
    cancel: () => ended('over'),
  })
}

/** An open connection. A request is sent when the previous response has been read. */
export class HttpConnection {
  readonly #connection: TlsConnection
  readonly #reader: ResponseReader

  constructor(connection: TlsConnection) {
    this.#connection = connection
    this.#reader = new ResponseReader(connection)
  }

  /**
   * Sends a request and reads the response, whose body is read while it arrives.
   * @param ended is called when the response has been read, or given up
   * @throws HttpError with Go's text if the response is not HTTP/1.1
   */
  async exchange({ method, path, host, headers, body }: HttpRequest, ended: (state: ConnectionState) => void): Promise<Response> {
    const content = new TextEncoder().encode(body)
    const all = { host, ...headers, 'accept-encoding': 'gzip', 'content-length': String(content.length) }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = new TextEncoder().encode(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
    await this.#connection.write(joined(head, content))
    const reader = this.#reader
    const { status, headers: received, isPersistent } = await headOf(reader)
    const after = (): ConnectionState => (isPersistent && reader.isEmpty ? 'idle' : 'over')
    const generator = bodyOf(reader, status, received)
    const init = { status: Math.min(status, highestStatus), headers: received }
    if (generator === undefined) {
      ended(after())
      return new Response(null, init)
    }
    const stream = streamOf(generator, ended, after)
    if (received.get('content-encoding') !== 'gzip') return new Response(stream, init)
    received.delete('content-encoding')
    const unzipped = new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>
    return new Response(stream.pipeThrough(unzipped), init)
  }
}
