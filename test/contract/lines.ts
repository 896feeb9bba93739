/** The events of a watch one by one: a chunk may hold several. */
export class Lines {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #waiting: string[] = []

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader()
  }

  /** The next line without its end; undefined at the end of the stream. Throws where the stream broke. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const line = this.#waiting.shift()
      if (line !== undefined) return line
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      const text = this.#decoder.decode(value)
      if (!text.endsWith('\n')) throw new Error(`a chunk ends within an event: ${text.slice(-50)}`)
      this.#waiting = text.slice(0, -1).split('\n')
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }
}
