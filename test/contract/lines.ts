/** Splits the chunks of a watch into events: a chunk may contain several, or a piece of a long one. */
export class Lines {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #waiting: string[] = []
  /** The beginning of an event whose end is in a later chunk. */
  #begun = ''

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader()
  }

  /** Returns the next line without its newline; undefined at the end of the stream. Throws if the stream fails. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const line = this.#waiting.shift()
      if (line !== undefined) return line
      const { done, value } = await this.#reader.read()
      if (done && this.#begun !== '') throw new Error(`the stream ends within an event: ${this.#begun.slice(-50)}`)
      if (done) return undefined
      const lines = (this.#begun + this.#decoder.decode(value, { stream: true })).split('\n')
      this.#begun = lines.pop() ?? ''
      this.#waiting = lines
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }
}
