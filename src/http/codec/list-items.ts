/** The objects of a list in JSON, taken out of its bytes one after the other while they come. */
import { endOfString, endsEscaping } from './indent.ts'

/** What a list is made of. */
export type ListPart =
  /** What stands in front of the objects, up to and with the bracket that begins them. */
  | { readonly of: 'head'; readonly text: string; readonly key: string }
  | { readonly of: 'item'; readonly text: string }
  /** What stands behind them, from the closing bracket; of what has no objects all of it. */
  | { readonly of: 'end'; readonly text: string }

const quote = 0x22
const comma = 0x2c

/** The key of a list under which its objects stand; of a Table those are rows. */
const itemsKey = /"(items|rows)":\[$/

/** Splits one list. Its root has no white space, as collections write it. */
export class ListItems {
  readonly #decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  /** Of the part that is not whole yet. */
  #pieces: Uint8Array[] = []
  #place: 'head' | 'items' | 'end' = 'head'
  #depth = 0
  #inString = false
  #escaped = false

  /** The last part. */
  end(): ListPart {
    return { of: 'end', text: this.#taken(new Uint8Array(0)) }
  }

  /** The parts that these bytes complete. */
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
        const text = this.#taken(bytes.subarray(begin, at))
        begin = at
        const key = itemsKey.exec(text)?.[1]
        if (key === undefined) this.#pieces = [new TextEncoder().encode(text)]
        else {
          this.#place = 'items'
          yield { of: 'head', text, key }
        }
      } else if (byte === 0x7d || byte === 0x5d) {
        this.#depth--
        if (this.#place !== 'items' || this.#depth !== 1) continue
        const text = this.#taken(bytes.subarray(begin, at - 1))
        if (text !== '') yield { of: 'item', text }
        begin = at - 1
        this.#place = 'end'
        break
      } else if (byte === comma && this.#place === 'items' && this.#depth === 2) {
        yield { of: 'item', text: this.#taken(bytes.subarray(begin, at - 1)) }
        begin = at
      }
    }
    // The bytes are the source's, which may use them again.
    if (begin < bytes.length) this.#pieces.push(bytes.slice(begin))
  }

  #taken(last: Uint8Array): string {
    const pieces = this.#pieces
    if (pieces.length === 0) return this.#decoder.decode(last)
    this.#pieces = []
    const text = pieces.map((piece) => this.#decoder.decode(piece, { stream: true })).join('')
    return text + this.#decoder.decode(last)
  }
}
