/** One HTTP/1.1 request and its response over an open connection. */

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
      if (size === 0) return
      yield* this.bytes(size)
      await this.line()
    }
  }
}

async function headOf(reader: ResponseReader): Promise<{ readonly status: number; readonly headers: Headers }> {
  for (;;) {
    const first = await reader.line()
    const found = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)
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
    const status = Number(found[1])
    if (status >= 200) return { status, headers }
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

/** Returns a stream that reads from a generator when its reader wants more, and calls `end` when it is done or given up. */
function streamOf(generator: AsyncGenerator<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await generator.next()
        if (!done) {
          controller.enqueue(value)
          return
        }
        controller.close()
        end()
      } catch (error) {
        end()
        throw error
      }
    },
    // A generator that waits for data is not waited for.
    cancel: end,
  })
}

/**
 * Sends a request and reads the response, whose body is read while it arrives. The connection is used only once.
 * @param end closes the connection
 * @throws HttpError with Go's text if the response is not HTTP/1.1
 */
export async function exchange(
  connection: TlsConnection,
  { method, path, host, headers, body }: HttpRequest,
  end: () => void,
): Promise<Response> {
  const content = new TextEncoder().encode(body)
  const all = { host, ...headers, 'accept-encoding': 'gzip', 'content-length': String(content.length), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = new TextEncoder().encode(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await connection.write(joined(head, content))
  const reader = new ResponseReader(connection)
  const { status, headers: received } = await headOf(reader)
  const generator = bodyOf(reader, status, received)
  const init = { status: Math.min(status, highestStatus), headers: received }
  if (generator === undefined) {
    end()
    return new Response(null, init)
  }
  const stream = streamOf(generator, end)
  if (received.get('content-encoding') !== 'gzip') return new Response(stream, init)
  received.delete('content-encoding')
  return new Response(stream.pipeThrough(new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>), init)
}
