/** HTTP/1.1 requests and their responses over an open connection, one after the other. */

import { joined } from './tls/bytes.ts'
import type { ByteConnection } from './tls/client.ts'

/** A request. */
export interface HttpRequest {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  /** `host:port`, as in the URL. */
  readonly host: string
  /** Names and values, without those that frame the body. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Null without a body. */
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null
}

/** The longest status line with headers. */
const longestHead = 64 * 1024

/** Reports a response that is not HTTP. */
export class HttpError extends Error {}

/** Reads a connection as lines and bytes. */
class ResponseReader {
  readonly #connection: ByteConnection
  #buffer: Uint8Array = new Uint8Array()
  /** The read that began while the connection was idle. */
  #early: Promise<Uint8Array | undefined> | undefined

  constructor(connection: ByteConnection) {
    this.#connection = connection
  }

  /** Begins to read between two responses. Calls back if the server closes the connection, or sends what nobody asked for. */
  readEarly(unusable: () => void): void {
    const early = this.#connection.read()
    this.#early = early
    early.then(
      () => this.#early === early && unusable(),
      () => this.#early === early && unusable(),
    )
  }

  async #more(): Promise<boolean> {
    const early = this.#early
    this.#early = undefined
    const data = await (early ?? this.#connection.read())
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
      const digits = (await this.line()).split(';')[0]?.trim() ?? ''
      if (!/^[\da-f]{1,13}$/i.test(digits)) throw new HttpError('invalid byte in chunk length')
      const size = Number.parseInt(digits, 16)
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

/** So many responses may come before the final one, as in Go. */
const mostInformational = 5

async function headOf(reader: ResponseReader, purpose: 'answer' | 'upgrade' = 'answer'): Promise<ResponseHead> {
  for (let informational = 0; informational <= mostInformational; informational++) {
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
    if (status === 101 && purpose === 'answer') throw new HttpError('unexpected 101 Switching Protocols response')
    if (status >= 200 || status === 101) return { status, headers, isPersistent: isFramed && !isClosed }
  }
  throw new HttpError('net/http: too many 1xx informational responses')
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

const encoder = new TextEncoder()

/** Methods whose requests usually have a body. */
const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Returns the header that tells how the body is framed. */
function framingOf({ method, body, headers }: HttpRequest): readonly (readonly [string, string])[] {
  if (typeof body === 'string') return [['content-length', String(encoder.encode(body).length)]]
  if (body instanceof Uint8Array) return [['content-length', String(body.length)]]
  if (body === null) return withBody.has(method) ? [['content-length', '0']] : []
  return headers.some(([name]) => name.toLowerCase() === 'content-length') ? [] : [['transfer-encoding', 'chunked']]
}

/** @throws HttpError for a header that would be read as several */
function headBytes(request: HttpRequest): Uint8Array {
  const all = [['host', request.host] as const, ...request.headers, ...framingOf(request)]
  const broken = all.find(([name, value]) => /[\r\n\0]/.test(name) || /[\r\n\0]/.test(value))
  if (broken !== undefined) throw new HttpError(`net/http: invalid header field value for ${JSON.stringify(broken[0])}`)
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`)
  // Bytes beyond ASCII are those of the other side's client, one for each character.
  return new Uint8Array(Buffer.from(`${request.method} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'))
}

/** Writes a body while it arrives. */
async function writeBody(connection: ByteConnection, body: ReadableStream<Uint8Array>, isChunked: boolean): Promise<void> {
  for await (const part of body) {
    if (part.length === 0) continue
    await connection.write(
      isChunked ? joined(encoder.encode(`${part.length.toString(16)}\r\n`), part, encoder.encode('\r\n')) : part,
    )
  }
  if (isChunked) await connection.write(encoder.encode('0\r\n\r\n'))
}

/** A response that changes the protocol, with the connection's bytes after it. */
export interface Upgraded {
  readonly headers: Headers
  /** Yields all that arrives. */
  readonly bytes: AsyncGenerator<Uint8Array>
}

/** An open connection. A request is sent when the previous response has been read. */
export class HttpConnection {
  readonly #connection: ByteConnection
  readonly #reader: ResponseReader

  constructor(connection: ByteConnection) {
    this.#connection = connection
    this.#reader = new ResponseReader(connection)
  }

  /** Notices the end of an idle connection. @param unusable is called if no request may be sent any more */
  rest(unusable: () => void): void {
    this.#reader.readEarly(unusable)
  }

  write(data: Uint8Array): Promise<void> {
    return this.#connection.write(data)
  }

  /**
   * Sends a request and reads the response, whose body is read while it arrives, as it is encoded. A body that is a stream is sent
   * meanwhile.
   * @param ended is called when the response has been read, or given up
   * @throws HttpError with Go's text if the response is not HTTP/1.1
   */
  async exchange(request: HttpRequest, ended: (state: ConnectionState) => void): Promise<Response> {
    const { body } = request
    const head = headBytes(request)
    const isStream = body instanceof ReadableStream
    let isSent = !isStream
    if (isStream) {
      await this.#connection.write(head)
      const isChunked = framingOf(request).length > 0
      writeBody(this.#connection, body, isChunked).then(
        () => {
          isSent = true
        },
        // The connection is of no use any more; the response, if there is one, tells why.
        () => undefined,
      )
    } else {
      const content = typeof body === 'string' ? encoder.encode(body) : (body ?? new Uint8Array())
      await this.#connection.write(joined(head, content))
    }
    const reader = this.#reader
    const { status, headers: received, isPersistent } = await headOf(reader)
    const after = (): ConnectionState => (isPersistent && isSent && reader.isEmpty ? 'idle' : 'over')
    const generator = request.method === 'HEAD' ? undefined : bodyOf(reader, status, received)
    const init = { status: Math.min(status, highestStatus), headers: received, encodeBody: 'manual' } as const
    if (generator === undefined) {
      ended(after())
      return new Response(null, init)
    }
    return new Response(streamOf(generator, ended, after), init)
  }

  /**
   * Sends a request for another protocol.
   * @param ended is called when the response of a server that refuses has been read, or given up
   * @returns the response if the server does not change the protocol; its connection is not used again
   */
  async upgrade(request: HttpRequest, ended: () => void): Promise<Upgraded | Response> {
    await this.#connection.write(headBytes(request))
    const reader = this.#reader
    const { status, headers } = await headOf(reader, 'upgrade')
    if (status === 101) return { headers, bytes: reader.rest() }
    const init = { status: Math.min(status, highestStatus), headers, encodeBody: 'manual' } as const
    const generator = bodyOf(reader, status, headers)
    if (generator === undefined) {
      ended()
      return new Response(null, init)
    }
    return new Response(
      streamOf(generator, ended, () => 'over'),
      init,
    )
  }
}
