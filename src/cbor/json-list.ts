/** The parts of a list in JSON as its bytes arrive: what stands before its objects, each object, what stands behind them. */

const code = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
}

/** How deep the objects of a list are nested. */
const listDepth = 2

/** A part of a list; texts are JSON. */
export type ListPart =
  /** All members up to the array of objects, as an object that has it empty. */
  | { readonly part: 'head'; readonly text: string }
  | { readonly part: 'item'; readonly text: string }
  /** The members behind it, as an object. */
  | { readonly part: 'tail'; readonly text: string }

/**
 * Splits a list into its parts.
 *
 *   for (const { part, text } of splitter.push(chunk)) …
 *
 * The array of objects is the first array that is a member of the list itself. Memory: one object, and the bytes that came last.
 */
export class ListSplitter {
  readonly #decoder = new TextDecoder()
  #depth = 0
  #inString = false
  #isEscaped = false
  #state: ListPart['part'] = 'head'
  #kept: Uint8Array[] = []

  /** The parts that are whole with these bytes. */
  push(bytes: Uint8Array): readonly ListPart[] {
    const parts: ListPart[] = []
    let start = 0
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (this.#inString) this.#passString(byte)
      else if (byte === code.quote) this.#inString = true
      else if (this.#endsPart(byte)) {
        const isHead = this.#state === 'head'
        this.#kept.push(bytes.subarray(start, isHead ? at + 1 : at))
        const text = this.#take()
        if (isHead) parts.push({ part: 'head', text: `${text}]}` })
        else if (text.trim() !== '') parts.push({ part: 'item', text })
        if (byte !== code.comma) this.#state = isHead ? 'item' : 'tail'
        start = at + 1
      }
    }
    this.#kept.push(bytes.slice(start))
    return parts
  }

  /** What stands behind the objects, when all bytes have come. */
  end(): ListPart {
    return { part: 'tail', text: `{${this.#take().replace(/^\s*,/, '')}` }
  }

  /** Whether this byte, which is of no string, is the last of the head or follows an object. */
  #endsPart(byte: number): boolean {
    if (byte === code.openBrace || byte === code.openBracket) {
      this.#depth++
      return this.#state === 'head' && byte === code.openBracket && this.#depth === listDepth
    }
    if (byte === code.closeBrace || byte === code.closeBracket) {
      this.#depth--
      return this.#state === 'item' && this.#depth === listDepth - 1
    }
    return byte === code.comma && this.#state === 'item' && this.#depth === listDepth
  }

  #passString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === code.backslash) this.#isEscaped = true
    else if (byte === code.quote) this.#inString = false
  }

  #take(): string {
    const text = this.#decoder.decode(Buffer.concat(this.#kept))
    this.#kept = []
    return text
  }
}
