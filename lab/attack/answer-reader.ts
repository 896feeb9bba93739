/** Reads a response of HTTP/1.1 from the bytes of a connection. */

/** A response. */
export interface Answer {
  readonly status: number
  /** By lower-case name; the last one of several with one name. */
  readonly headers: ReadonlyMap<string, string>
  /** The beginning of the body, up to the judged length. */
  readonly body: Buffer
  /** Whether the response was read completely. */
  readonly isWhole: boolean
}

/** The number of bytes of a body that are kept. */
const keptBody = 256 * 1024

/** The maximum length of a response's head, in bytes. */
const longestHead = 256 * 1024

/** The position within the body: the remaining length or chunk, or the rule by which it ends. */
type Rest = { readonly how: 'length' | 'chunk' | 'trailers' | 'closing' | 'over'; readonly left: number }

function restOf(status: number, headers: ReadonlyMap<string, string>, isHead: boolean): Rest {
  if (isHead || status === 101 || status === 204 || status === 304) return { how: 'over', left: 0 }
  if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked') return { how: 'chunk', left: 0 }
  const length = headers.get('content-length')
  if (length === undefined) return { how: 'closing', left: 0 }
  if (!/^\d+$/.test(length)) throw new Error(`content-length: ${length}`)
  return Number(length) === 0 ? { how: 'over', left: 0 } : { how: 'length', left: Number(length) }
}

/** An incremental reader of one response. */
export class AnswerReader {
  readonly #isHead: boolean
  #bytes: Buffer = Buffer.alloc(0)
  #status = 0
  #headers = new Map<string, string>()
  #rest: Rest | undefined
  #kept: Buffer[] = []
  #keptLength = 0

  /** @param isHead whether the request was HEAD, whose response has no body */
  constructor(isHead: boolean) {
    this.#isHead = isHead
  }

  /** 0 until the head is complete. */
  get status(): number {
    return this.#rest === undefined ? 0 : this.#status
  }

  /** Whether any byte has arrived. */
  get hasBegun(): boolean {
    return this.#rest !== undefined || this.#bytes.length > 0
  }

  /**
   * Takes the next bytes.
   * @returns whether the response is complete
   * @throws Error if they are not HTTP/1.1
   */
  push(bytes: Buffer): boolean {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes])
    if (this.#rest === undefined && !this.#readHead()) return false
    while (this.#step());
    return this.#rest?.how === 'over'
  }

  /** Whether a closed connection completes the response. */
  endsHere(): boolean {
    return this.#rest?.how === 'closing' || this.#rest?.how === 'over'
  }

  answer(isWhole: boolean): Answer {
    return { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#kept), isWhole }
  }

  #readHead(): boolean {
    const end = this.#bytes.indexOf('\r\n\r\n')
    if (end < 0) {
      if (this.#bytes.length > longestHead) throw new Error('the head of the answer does not end')
      return false
    }
    const [first = '', ...lines] = this.#bytes.toString('latin1', 0, end).split('\r\n')
    const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1]
    if (status === undefined) throw new Error(`the answer begins with ${JSON.stringify(first.slice(0, 80))}`)
    this.#bytes = this.#bytes.subarray(end + 4)
    this.#status = Number(status)
    if (this.#status < 200 && this.#status !== 101) return this.#readHead()
    for (const line of lines) {
      const colon = line.indexOf(':')
      if (colon < 1) throw new Error(`a header of the answer is ${JSON.stringify(line.slice(0, 80))}`)
      this.#headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
    }
    this.#rest = restOf(this.#status, this.#headers, this.#isHead)
    return true
  }

  /** Reads the next piece; false if it needs more bytes or the response is complete. */
  #step(): boolean {
    if (this.#rest === undefined || this.#rest.how === 'over') return false
    const { how, left } = this.#rest
    if (how === 'closing') return this.#take(this.#bytes.length)
    if (left > 0) {
      const taken = Math.min(left, this.#bytes.length)
      this.#rest = { how: how === 'length' && taken === left ? 'over' : how, left: left - taken }
      return this.#take(taken)
    }
    return how === 'trailers' ? this.#readTrailer() : this.#readChunkLength()
  }

  #take(length: number): boolean {
    if (length === 0) return false
    if (this.#keptLength < keptBody) this.#kept.push(this.#bytes.subarray(0, length))
    this.#keptLength += length
    this.#bytes = this.#bytes.subarray(length)
    return true
  }

  #line(): string | undefined {
    const end = this.#bytes.indexOf('\r\n')
    if (end < 0) return undefined
    const line = this.#bytes.toString('latin1', 0, end)
    this.#bytes = this.#bytes.subarray(end + 2)
    return line
  }

  #readTrailer(): boolean {
    const line = this.#line()
    if (line === '') this.#rest = { how: 'over', left: 0 }
    return line !== undefined && line !== ''
  }

  #readChunkLength(): boolean {
    const line = this.#line()
    // An empty line ends the previous chunk.
    if (line === undefined || line === '') return line !== undefined
    if (!/^[0-9a-f]+$/i.test(line)) throw new Error(`a chunk's length is ${JSON.stringify(line.slice(0, 80))}`)
    const length = Number.parseInt(line, 16)
    this.#rest = length === 0 ? { how: 'trailers', left: 0 } : { how: 'chunk', left: length }
    return true
  }
}
