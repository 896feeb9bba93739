/** Names of certificates' subjects as text. Follows RFC 2253 and RFC 4514. */

/** One attribute of a name: its type as it is written, and its value. */
export interface NameAttribute {
  readonly type: string
  readonly value: string
}

const special = /^[ ",#+;<=>\\]$/

/** UTF8String, PrintableString and IA5String, as ASN.1 numbers them. */
const textTags: ReadonlySet<number> = new Set([0x0c, 0x13, 0x16])

function utf8(bytes: readonly number[]): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(new Uint8Array(bytes))
  } catch {
    return undefined
  }
}

/** Reads from one position on. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** All up to the character, which is skipped; undefined where it does not come. */
  upTo(character: string): string | undefined {
    const end = this.#text.indexOf(character, this.#at)
    if (end < 0) return undefined
    const found = this.#text.slice(this.#at, end)
    this.#at = end + 1
    return found
  }

  /** A value up to a separator that is not escaped, which is skipped; undefined for one that is not well-formed. */
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

  /** A value in the form of its bytes, as attributes are written that have no name; undefined where they are no text. */
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
 * The attributes of a name, in the order in which it is written.
 * @returns undefined for what is not well-formed, or is written in a form that leaves a doubt (quotes, bytes that are no text)
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
