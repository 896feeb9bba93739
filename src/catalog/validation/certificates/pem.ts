/** Validates certificates in PEM that the server stores but does not use. */

/** A PEM block: its label, whether it has headers, its text and its decoded content, and the index after it. */
export interface Block {
  readonly label: string
  readonly hasHeaders: boolean
  readonly content: string
  readonly der: Uint8Array
  readonly end: number
}

const begin = /-----BEGIN ([^\r\n-]+)-----[ \t]*\r?\n/g
const end = '-----END '
const dashes = '-----'

/**
 * Yields the PEM blocks of a text in linear time. A block ends at the next END line of any label, so that each text is searched
 * once, however many blocks begin in it and never end.
 */
export function* blocksOf(text: string): Generator<Block> {
  let [behind, ending] = [0, 0]
  for (const { 0: line, 1: label = '', index } of text.matchAll(begin)) {
    if (index < behind) continue
    const start = index + line.length
    if (ending < start) ending = text.indexOf(end, start)
    if (ending < 0) return
    if (!text.startsWith(`${label}${dashes}`, ending + end.length)) continue
    const content = text.slice(start, ending)
    behind = ending + end.length + label.length + dashes.length
    const der = new Uint8Array(Buffer.from(content.replace(/\s/g, ''), 'base64'))
    yield { label, hasHeaders: content.includes(':'), content, der, end: behind }
  }
}

/**
 * Returns the first PEM block, or undefined if the text has no block.
 * @param base64 the text in base64, the form of bytes in JSON
 */
export function firstBlock(base64: string): Block | undefined {
  return blocksOf(Buffer.from(base64, 'base64').toString('latin1')).next().value ?? undefined
}

/** Returns the length of the first DER element in bytes including its head, or undefined if it is not a complete sequence. */
function sequenceLength(der: Uint8Array): number | undefined {
  const [tag, first = 0] = der
  if (tag !== 0x30 || der.length < 2) return undefined
  const sizeBytes = first < 0x80 ? 0 : first & 0x7f
  if (sizeBytes > 4) return undefined
  const size = sizeBytes === 0 ? first : der.subarray(2, 2 + sizeBytes).reduce((sum, byte) => sum * 256 + byte, 0)
  const length = 2 + sizeBytes + size
  return length > der.length ? undefined : length
}

/** Checks concatenated DER certificates: each is a sequence that begins with a sequence. */
function certificatesError(der: Uint8Array): string | undefined {
  for (let rest = der; rest.length > 0; ) {
    const length = sequenceLength(rest)
    if (length === undefined || sequenceLength(rest.subarray(length > 257 ? 4 : 2)) === undefined) {
      return 'x509: malformed certificate'
    }
    rest = rest.subarray(length)
  }
  return undefined
}

/**
 * Validates certificates in PEM.
 * @param base64 the text in base64, the form of bytes in JSON
 * @returns the error message; undefined if the certificates are valid or the text is empty
 */
export function certificateError(base64: string): string | undefined {
  if (base64 === '') return undefined
  let isEmpty = true
  for (const { label, hasHeaders, der } of blocksOf(Buffer.from(base64, 'base64').toString('latin1'))) {
    isEmpty = false
    if (label !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found "${label}"`
    if (hasHeaders) return 'no PEM block headers are permitted'
    if (der.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates'
    const wrong = certificatesError(der)
    if (wrong !== undefined) return wrong
  }
  return isEmpty ? 'must contain at least one CERTIFICATE PEM block' : undefined
}
