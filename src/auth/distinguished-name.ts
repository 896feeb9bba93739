/** Distinguished names of certificate subjects in text form. Follows RFC 2253 and RFC 4514. */

/** One attribute of a name: its type as written, and its value. */
export interface NameAttribute {
  readonly type: string
  readonly value: string
}

const special = /^[ ",#+;<=>\\]$/

/** The ASN.1 tags of UTF8String, PrintableString and IA5String. */
const textTags: ReadonlySet<number> = new Set([0x0c, 0x13, 0x16])

function utf8(bytes: readonly number[]): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(new Uint8Array(bytes))
  } catch {
    return undefined
  }
}

/** A cursor over the text. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** Reads up to the character and skips it; undefined if the character does not follow. */
  upTo(character: string): string | undefined {
    const end = this.#text.indexOf(character, this.#at)
    if (end < 0) return undefined
    const found = this.#text.slice(this.#at, end)
    this.#at = end + 1
    return found
  }

  /** Reads a value up to an unescaped separator and skips the separator; undefined if the value is malformed. */
  value(): string | undefined {
    const encoded = this.#encoded()
    if (encoded !== 'none') return encoded
    const bytes: number[] = []
    while (!this.isAtEnd) {
      const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)
      this.#at += character.length
      if (character === ',' || character === '+') break
      if (character === '\\') {
        const escaped = this.#escaped()
        if (escaped === undefined) return undefined
        bytes.push(escaped)
      } else if (/[";<>]/.test(character) || (character === '#' && bytes.length === 0)) return undefined
      else bytes.push(...Buffer.from(character))
    }
    return utf8(bytes)
  }

  /**
   * Reads a value in the hexadecimal form (`#0c03…`), which attributes without a name use; undefined if its bytes are not a
   * string.
   */
  #encoded(): string | undefined | 'none' {
    const [whole, digits = ''] = /^#((?:[0-9A-Fa-f]{2})+)(?:[,+]|$)/.exec(this.#text.slice(this.#at)) ?? []
    if (whole === undefined) return 'none'
    this.#at += whole.length
    const [tag = 0, length, ...bytes] = Buffer.from(digits, 'hex')
    return textTags.has(tag) && length === bytes.length && length < 0x80 ? utf8(bytes) : undefined
  }

  #escaped(): number | undefined {
    const pair = this.#text.slice(this.#at, this.#at + 2)
    if (/^[0-9A-Fa-f]{2}$/.test(pair)) {
      this.#at += 2
      return Number.parseInt(pair, 16)
    }
    const character = this.#text[this.#at] ?? ''
    if (!special.test(character)) return undefined
    this.#at++
    return character.charCodeAt(0)
  }
}

/**
 * Parses the attributes of a name, in written order.
 * @returns undefined if the name is malformed or ambiguous (quotes, bytes that are not a string)
 */
export function parseDistinguishedName(text: string): NameAttribute[] | undefined {
  const attributes: NameAttribute[] = []
  const reader = new Reader(text)
  while (!reader.isAtEnd) {
    const type = reader.upTo('=')?.trim()
    if (type === undefined || !/^[A-Za-z][A-Za-z0-9-]*$|^[0-9]+(\.[0-9]+)+$/.test(type)) return undefined
    const value = reader.value()
    if (value === undefined) return undefined
    attributes.push({ type, value })
  }
  return attributes
}
