/** Splits the JSON of a list into its objects while its bytes arrive. */
import { endOfString, endsEscaping } from './indent.ts'

/** One part of a list. */
export type ListPart =
  /** The text before the objects, including their opening bracket. `key` is `items`, or `rows` in a Table. */
  | { readonly kind: 'head'; readonly text: string; readonly key: string }
  | { readonly kind: 'item'; readonly text: string }
  /** The text after the objects, from the closing bracket. The whole text if it has no objects. */
  | { readonly kind: 'end'; readonly text: string }

const quote = 0x22
const comma = 0x2c

/** The field that holds a list's objects, or a Table's rows. */
const itemsKey = /"(items|rows)":\[$/

/** Splits one list. The JSON must be compact between the fields of the list itself, as collections write it. */
export class ListItems {
  readonly #decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  /** Bytes of the part that is not complete yet. */
  #pieces: Uint8Array[] = []
  #place: 'head' | 'items' | 'end' = 'head'
  #depth = 0
  #inString = false
  #escaped = false

  /** Returns the last part. Call it when all bytes have been written. */
  end(): ListPart {
    return { kind: 'end', text: this.#takeText(new Uint8Array(0)) }
  }

  /** Adds bytes and yields the parts that they complete. */
  *write(bytes: Uint8Array): Generator<ListPart> {
    let begin = 0
    for (let at = this.#place === 'end' ? bytes.length : 0; at < bytes.length; ) {
      if (this.#inString) {
        const end = endOfString(bytes, at, this.#escaped)
        this.#escaped = end < 0 && endsEscaping(bytes, at, this.#escaped)
        this.#inString = end < 0
        at = end < 0 ? bytes.length : end
        continue
      }
      const byte = bytes[at++] as number
      if (byte === quote) this.#inString = true
      else if (byte === 0x7b || byte === 0x5b) {
        this.#depth++
        if (this.#place !== 'head' || byte !== 0x5b || this.#depth !== 2) continue
        const text = this.#takeText(bytes.subarray(begin, at))
        begin = at
        const key = itemsKey.exec(text)?.[1]
        if (key === undefined) this.#pieces = [new TextEncoder().encode(text)]
        else {
          this.#place = 'items'
          yield { kind: 'head', text, key }
        }
      } else if (byte === 0x7d || byte === 0x5d) {
        this.#depth--
        if (this.#place !== 'items' || this.#depth !== 1) continue
        const text = this.#takeText(bytes.subarray(begin, at - 1))
        if (text !== '') yield { kind: 'item', text }
        begin = at - 1
        this.#place = 'end'
        break
      } else if (byte === comma && this.#place === 'items' && this.#depth === 2) {
        yield { kind: 'item', text: this.#takeText(bytes.subarray(begin, at - 1)) }
        begin = at
      }
    }
    // Copied, because the source may reuse its buffer.
    if (begin < bytes.length) this.#pieces.push(bytes.slice(begin))
  }

  #takeText(last: Uint8Array): string {
    const pieces = this.#pieces
    if (pieces.length === 0) return this.#decoder.decode(last)
    this.#pieces = []
    const text = pieces.map((piece) => this.#decoder.decode(piece, { stream: true })).join('')
    return text + this.#decoder.decode(last)
  }
}
