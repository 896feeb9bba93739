/** The client's side of mutual TLS (RFC 8446, sections 4.4.2 and 4.4.3), with keys of the curve P-256. */
import { joined, number, vector } from './bytes.ts'

/** A certificate with which a client proves its identity. */
export interface ClientCertificate {
  /** DER, the client's own certificate first. */
  readonly chain: readonly Uint8Array[]
  readonly key: CryptoKey
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const
/** ecdsa_secp256r1_sha256. */
const signatureScheme = 0x0403
const encoder = new TextEncoder()

/** Returns the DER of all blocks with a label. */
function derIn(pem: string, label: string): Uint8Array<ArrayBuffer>[] {
  const blocks = [...pem.matchAll(/-----BEGIN ([A-Z ]+)-----([^-]*)-----END \1-----/g)].filter(([, found]) => found === label)
  return blocks.map(([, , text = '']) => new Uint8Array(Buffer.from(text, 'base64')))
}

/**
 * Reads a certificate chain and its private key.
 * @param key PKCS #8
 * @throws Error if there is no certificate, or no key of the curve P-256
 */
export async function readClientCertificate(certificate: string, key: string): Promise<ClientCertificate> {
  const chain = derIn(certificate, 'CERTIFICATE')
  const [pkcs8] = derIn(key, 'PRIVATE KEY')
  if (chain.length === 0) throw new Error('there is no certificate in PEM')
  if (pkcs8 === undefined) throw new Error('there is no private key in PEM (PKCS #8)')
  return { chain, key: await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']) }
}

/** Returns the content of a Certificate message. Without a certificate, the list in it is empty. */
export function certificateContent(client: ClientCertificate | undefined): Uint8Array {
  const entries = (client?.chain ?? []).map((der) => joined(vector(3, der), [0, 0]))
  return joined([0], vector(3, ...entries))
}

/** Encodes a positive integer of a signature as DER. */
function derInteger(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const digits = bytes.subarray(start)
  return joined([2], vector(1, (digits[0] ?? 0) >= 0x80 ? [0] : [], digits))
}

/** Signs a text with the key of a certificate. */
export async function proofOf(
  { key }: ClientCertificate,
  signed: Uint8Array,
): Promise<{ readonly scheme: number; readonly signature: Uint8Array }> {
  const raw = new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, signed as Uint8Array<ArrayBuffer>))
  const signature = joined([0x30], vector(1, derInteger(raw.subarray(0, 32)), derInteger(raw.subarray(32))))
  return { scheme: signatureScheme, signature }
}

/** Returns the content of a CertificateVerify message. @param transcript the hash of the messages before it */
export async function proofContent(client: ClientCertificate, transcript: Uint8Array): Promise<Uint8Array> {
  const signed = joined(new Uint8Array(64).fill(32), encoder.encode('TLS 1.3, client CertificateVerify'), [0], transcript)
  const { scheme, signature } = await proofOf(client, signed)
  return joined(number(scheme, 2), vector(2, signature))
}
