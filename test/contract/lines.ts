/** Splits the chunks of a watch into events: a chunk may contain several. */
export class Lines {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #waiting: string[] = []

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader()
  }

  /** Returns the next line without its newline; undefined at the end of the stream. Throws if the stream fails. */
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
