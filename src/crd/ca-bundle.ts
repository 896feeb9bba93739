/** Validates a caBundle as AppendCertsFromPEM of crypto/x509 does, with upstream's messages. */
import { blocksOf } from '../catalog/validation/certificates/pem.ts'

const encoding = /^[A-Za-z0-9+/=\s]*$/

/** Returns the length of the DER element with this tag at a position, including its header; 0 if there is no such element. */
function elementLength(bytes: Uint8Array, at: number, tag: number): number {
  const [found, first = 0] = [bytes[at], bytes[at + 1]]
  if (found !== tag) return 0
  if (first < 0x80) return first + 2
  const count = first & 0x7f
  if (count === 0 || count > 4) return 0
  let length = 0
  for (let i = 0; i < count; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0)
  return length + 2 + count
}

const sequence = 0x30

/** Whether the bytes have the form of a certificate: one DER sequence whose first part is another sequence. */
function isCertificate(bytes: Uint8Array): boolean {
  if (elementLength(bytes, 0, sequence) !== bytes.length || bytes.length === 0) return false
  const header = (bytes[1] ?? 0) < 0x80 ? 2 : 2 + ((bytes[1] ?? 0) & 0x7f)
  return elementLength(bytes, header, sequence) > 0
}

/**
 * Validates a caBundle.
 * @returns the error of a bundle in base64; undefined if it contains a certificate
 */
export function caBundleError(bundle: string): string | undefined {
  const text = Buffer.from(bundle, 'base64').toString('latin1')
  const blocks = [...blocksOf(text)].filter(({ content }) => encoding.test(content))
  const certificates = blocks.filter(({ label }) => label === 'CERTIFICATE').map(({ der }) => der)
  if (certificates.some(isCertificate)) return undefined
  const loadError = (why: string): string => `unable to load root certificates: ${why}`
  if (certificates.length > 0) return loadError('failed to parse certificate: x509: malformed certificate')
  const [last] = blocks.slice(-1)
  const rest = last === undefined ? text : text.slice(last.end).trimStart()
  return loadError(rest === '' ? 'no valid certificate authority data seen' : 'unable to parse bytes as PEM block')
}
