/** Elements of DER, as far as requests for certificates have them. */

/** An element: its tag, where it begins, and what is in it. */
export interface Element {
  readonly tag: number
  /** The element as a whole, its head included. */
  readonly whole: Uint8Array
  readonly content: Uint8Array
}

/** The tags of the elements that are looked for. */
export const tags = { integer: 0x02, bitString: 0x03, oid: 0x06, sequence: 0x30, set: 0x31 } as const

/** What is wrong with bytes that should be DER, as Go's encoding/asn1 tells it. */
export class DerError extends Error {}

const truncated = 'asn1: syntax error: data truncated'
/** More bytes than that no length has. */
const mostLengthBytes = 4

/** More elements than that nothing has that is asked for: each costs memory. */
const mostElements = 10_000

/** @throws DerError where the bytes end too soon */
export function firstElement(der: Uint8Array): Element {
  const [tag, first] = der
  if (tag === undefined || first === undefined) throw new DerError('asn1: syntax error: sequence truncated')
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  if (lengthBytes > mostLengthBytes) throw new DerError('asn1: structure error: length too large')
  const head = 2 + lengthBytes
  if (der.length < head) throw new DerError('asn1: syntax error: truncated base 128 integer')
  const size = lengthBytes === 0 ? first : der.subarray(2, head).reduce((sum, byte) => sum * 256 + byte, 0)
  if (head + size > der.length) throw new DerError(truncated)
  return { tag, whole: der.subarray(0, head + size), content: der.subarray(head, head + size) }
}

/**
 * The elements that stand one after the other.
 * @throws DerError where the bytes end too soon, or hold more elements than anybody needs
 */
export function elementsOf(der: Uint8Array): Element[] {
  const elements: Element[] = []
  for (let rest = der; rest.length > 0; ) {
    if (elements.length === mostElements) throw new DerError('asn1: structure error: too many elements')
    const element = firstElement(rest)
    elements.push(element)
    rest = rest.subarray(element.whole.length)
  }
  return elements
}

/**
 * The element at a place, which must have this tag.
 * @throws DerError where there is another one or none
 */
export function expected(elements: readonly Element[], at: number, tag: number): Element {
  const element = elements[at]
  if (element === undefined) throw new DerError('asn1: syntax error: sequence truncated')
  if (element.tag !== tag) throw new DerError('asn1: structure error: tags do not match')
  return element
}

/** The bytes as hexadecimal digits: how object identifiers are compared. */
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
