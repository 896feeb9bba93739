/** Parses DER, as far as certificates and certificate signing requests need it. */

/** A DER element. */
export interface Element {
  readonly tag: number
  /** The element including its tag and length bytes. */
  readonly whole: Uint8Array
  readonly content: Uint8Array
}

/** The tags of the element types that certificates and requests use. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const

/** Invalid DER, with the message of Go's encoding/asn1. */
export class DerError extends Error {}

const truncated = 'asn1: syntax error: data truncated'
/** The largest number of length bytes that is accepted. */
const mostLengthBytes = 4

/** The largest number of elements that is accepted. Each costs memory, and no valid request has so many. */
const mostElements = 10_000

/**
 * Parses the first element.
 * @throws DerError if the bytes end too soon or the length is too large
 */
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
 * Parses a sequence of elements.
 * @throws DerError if the bytes end too soon or hold more than 10,000 elements
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
 * Returns the element at an index, which must have this tag.
 * @throws DerError if the element does not exist or has another tag
 */
export function expected(elements: readonly Element[], at: number, tag: number): Element {
  const element = elements[at]
  if (element === undefined) throw new DerError('asn1: syntax error: sequence truncated')
  if (element.tag !== tag) throw new DerError('asn1: structure error: tags do not match')
  return element
}

/** Formats bytes as hexadecimal digits, the form in which object identifiers are compared. */
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
