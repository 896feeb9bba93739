/**
 * Where the requests of an HTTP/1.1 connection begin, so that each can be given a header more; all other bytes go on as they
 * came. Follows RFC 9112, and refuses what two readers might understand differently.
 */

/** What is no request that two readers would understand alike. */
export class FramingError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** No longer head is waited for. workerd itself takes less. */
const maximumHead = 256 * 1024
/** Lengths of chunks with their extensions, and single lines of trailers. */
const maximumLine = 8 * 1024

/** What comes next on the connection. */
type Expected =
  | { readonly of: 'head' | 'chunk length' | 'chunk end' | 'trailer' | 'upgrade' | 'tunnel' }
  | { readonly of: 'body' | 'chunk'; readonly left: number }

const head: Expected = { of: 'head' }
const chunkLength: Expected = { of: 'chunk length' }
const chunkEnd: Expected = { of: 'chunk end' }
const trailer: Expected = { of: 'trailer' }
const upgrade: Expected = { of: 'upgrade' }
const tunnel: Expected = { of: 'tunnel' }

const lineEnd = Buffer.from('\r\n')
const headEnd = Buffer.from('\r\n\r\n')

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~\x80-\xff]+ HTTP\/1\.[01]$/
const headerLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\0]*$/

/** One connection's requests. */
export class RequestFraming {
  readonly #line: () => string
  readonly #name: string
  #expected: Expected = head
  #held: Buffer = Buffer.alloc(0)

  /**
   * @param name of the header, in lower case, which no request may have itself
   * @param line gives the whole line of the header, as it is for the request that begins
   */
  constructor(name: string, line: () => string) {
    this.#name = name
    this.#line = line
  }

  /** Whether the client waits for its connection to become something else than HTTP. Nothing is read before `upgraded` is told. */
  get awaitsUpgrade(): boolean {
    return this.#expected.of === 'upgrade'
  }

  /** What the server has said to that. Gives what can go on now. */
  upgraded(accepted: boolean): Buffer[] {
    this.#expected = accepted ? tunnel : head
    return this.push(Buffer.alloc(0))
  }

  /**
   * Takes what has come in, and gives what goes on.
   * @throws FramingError after which the connection is of no use
   */
  push(bytes: Buffer): Buffer[] {
    const out: Buffer[] = []
    let rest = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    for (;;) {
      const before = rest.length
      const expected = this.#expected
      rest = this.#take(rest, out)
      if (rest.length === 0 || (rest.length === before && expected === this.#expected)) break
    }
    this.#held = rest
    return out
  }

  /** Takes one part, and gives what is left behind it: all, where it is not whole. */
  #take(rest: Buffer, out: Buffer[]): Buffer {
    switch (this.#expected.of) {
      case 'head':
        return this.#takeHead(rest, out)
      case 'chunk length':
      case 'chunk end':
      case 'trailer':
        return this.#takeLine(rest, out)
      case 'upgrade':
        return rest
      case 'tunnel':
        out.push(rest)
        return rest.subarray(rest.length)
      default:
        return this.#takeData(this.#expected.of, this.#expected.left, rest, out)
    }
  }

  #takeHead(rest: Buffer, out: Buffer[]): Buffer {
    // An empty line in front of a request is nothing.
    const start = rest.subarray(0, 2).equals(lineEnd) ? 2 : 0
    const end = rest.indexOf(headEnd, start)
    if (end > maximumHead || (end < 0 && rest.length > maximumHead)) throw new FramingError(431, 'the head is too long')
    if (end < 0) return rest
    const [line = '', ...headers] = rest.toString('latin1', start, end).split('\r\n')
    if (!requestLine.test(line) || line.startsWith('CONNECT ')) throw new FramingError(400, 'no request')
    this.#expected = afterHead(headers, this.#name)
    const lineLength = start + line.length + 2
    out.push(rest.subarray(start, lineLength), Buffer.from(`${this.#line()}\r\n`), rest.subarray(lineLength, end + 4))
    return rest.subarray(end + 4)
  }

  #takeLine(rest: Buffer, out: Buffer[]): Buffer {
    const end = rest.indexOf(lineEnd)
    if (end > maximumLine || (end < 0 && rest.length > maximumLine)) throw new FramingError(400, 'a line is too long')
    if (end < 0) return rest
    const line = rest.toString('latin1', 0, end)
    out.push(rest.subarray(0, end + 2))
    this.#expected = this.#afterLine(line)
    return rest.subarray(end + 2)
  }

  #afterLine(line: string): Expected {
    if (line === '' && this.#expected.of === 'chunk end') return chunkLength
    if (this.#expected.of === 'trailer') {
      if (line === '') return head
      if (headerLine.test(line)) return trailer
      throw new FramingError(400, 'no trailer')
    }
    const [, digits] = /^([0-9A-Fa-f]{1,12})(?:[ \t]*;[^\r\n\0]*)?$/.exec(line) ?? []
    if (digits === undefined || this.#expected.of === 'chunk end') throw new FramingError(400, 'no length of a chunk')
    const length = Number.parseInt(digits, 16)
    return length === 0 ? trailer : { of: 'chunk', left: length }
  }

  #takeData(of: 'body' | 'chunk', left: number, rest: Buffer, out: Buffer[]): Buffer {
    const taken = Math.min(left, rest.length)
    const after = rest.subarray(taken)
    if (taken > 0) out.push(rest.subarray(0, taken))
    if (taken < left) this.#expected = { of, left: left - taken }
    else this.#expected = of === 'body' ? head : chunkEnd
    return after
  }
}

/** What a request's headers let expect behind them. */
function afterHead(lines: readonly string[], forbidden: string): Expected {
  const values = new Map<string, string>()
  for (const line of lines) {
    if (!headerLine.test(line)) throw new FramingError(400, 'no header')
    const at = line.indexOf(':')
    const name = line.slice(0, at).toLowerCase()
    if (name === forbidden) throw new FramingError(400, "a header that is not the client's")
    if (!framing.has(name)) continue
    if (values.has(name)) throw new FramingError(400, 'a length that stands twice')
    values.set(
      name,
      line
        .slice(at + 1)
        .trim()
        .toLowerCase(),
    )
  }
  const [length, coding] = [values.get('content-length'), values.get('transfer-encoding')]
  if (coding !== undefined) {
    if (coding !== 'chunked' || length !== undefined) throw new FramingError(400, 'lengths that contradict each other')
    return chunkLength
  }
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw new FramingError(400, 'no length')
  if (length !== undefined && length !== '0') return { of: 'body', left: Number(length) }
  return values.has('upgrade') ? upgrade : head
}

const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'upgrade'])
