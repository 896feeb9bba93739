/**
 * Parses certificate signing requests (PKCS #10) and verifies their signature, which proves that the requester has the key.
 * Follows crypto/x509 of Go.
 */
import { constants, verify } from 'node:crypto'
import { DerError, type Element, elementsOf, expected, firstElement, hexOf, tags } from '../../../net/der.ts'
import { firstBlock } from './pem.ts'

/** The fields of a request that validation and admission read. */
export interface CertificateRequest {
  /** The organizations of its subject, which become the user's groups. */
  readonly organizations: readonly string[]
  /** The common name of its subject, which becomes the user's name; '' without one. */
  readonly commonName: string
  /** The wanted extensions, among other attributes; undefined without any. */
  readonly attributes: Element | undefined
  /** The signed bytes. */
  readonly signed: Uint8Array
  readonly publicKey: Uint8Array
  /** The object identifier of the key's algorithm, in hexadecimal digits. */
  readonly keyAlgorithm: string
  readonly algorithm: Element
  readonly signature: Uint8Array
}

/** The types of alternative names that Go reads. */
export type AlternativeName = 'dns' | 'email' | 'ip' | 'uri'

type KeyType = 'RSA' | 'ECDSA' | 'Ed25519'

interface SignatureAlgorithm {
  readonly name: string
  readonly key: KeyType
  /** null if the signature algorithm includes its own hash. */
  readonly hash: string | null
}

const organization = '55040a'
const commonName = '550403'

/** The attribute with the wanted extensions, and the extension with alternative names. */
const extensionRequest = '2a864886f70d01090e'
const subjectAlternativeName = '551d11'

/** The tags of alternative names. */
const nameTypes: ReadonlyMap<number, AlternativeName> = new Map([
  [0x81, 'email'],
  [0x82, 'dns'],
  [0x86, 'uri'],
  [0x87, 'ip'],
])

const keyTypes: Readonly<Record<string, { readonly key: KeyType; readonly go: string }>> = {
  '2a864886f70d010101': { key: 'RSA', go: '*rsa.PublicKey' },
  '2a8648ce3d0201': { key: 'ECDSA', go: '*ecdsa.PublicKey' },
  '2b6570': { key: 'Ed25519', go: 'ed25519.PublicKey' },
}

const insecure = '2a864886f70d010104'
const pss = '2a864886f70d01010a'

/** The signature algorithms by object identifier, in hexadecimal digits. */
const algorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  '2a864886f70d010105': { name: 'SHA1-RSA', key: 'RSA', hash: 'sha1' },
  '2a864886f70d01010b': { name: 'SHA256-RSA', key: 'RSA', hash: 'sha256' },
  '2a864886f70d01010c': { name: 'SHA384-RSA', key: 'RSA', hash: 'sha384' },
  '2a864886f70d01010d': { name: 'SHA512-RSA', key: 'RSA', hash: 'sha512' },
  '2a8648ce3d0401': { name: 'ECDSA-SHA1', key: 'ECDSA', hash: 'sha1' },
  '2a8648ce3d040302': { name: 'ECDSA-SHA256', key: 'ECDSA', hash: 'sha256' },
  '2a8648ce3d040303': { name: 'ECDSA-SHA384', key: 'ECDSA', hash: 'sha384' },
  '2a8648ce3d040304': { name: 'ECDSA-SHA512', key: 'ECDSA', hash: 'sha512' },
  '2b6570': { name: 'Ed25519', key: 'Ed25519', hash: null },
}

/** The hashes of RSASSA-PSS by the encoding of their object identifiers in its parameters. */
const pssHashes: readonly (readonly [oid: string, hash: string])[] = [
  ['0609608648016503040201', 'sha256'],
  ['0609608648016503040202', 'sha384'],
  ['0609608648016503040203', 'sha512'],
]

const failures: Readonly<Record<KeyType, string>> = {
  RSA: 'crypto/rsa: verification error',
  ECDSA: 'x509: ECDSA verification failure',
  Ed25519: 'x509: Ed25519 verification failure',
}

/** Returns the values of one attribute type of a name, which is a sequence of sets of pairs. */
function textsOf(name: Element, oid: string): string[] {
  const pairs = elementsOf(name.content).flatMap((set) => elementsOf(set.content))
  return pairs.flatMap((pair) => {
    const [type, value] = elementsOf(pair.content)
    return type !== undefined && value !== undefined && hexOf(type.content) === oid
      ? [new TextDecoder().decode(value.content)]
      : []
  })
}

/** Returns the values that pairs with this object identifier have last. Extensions and attributes are such pairs. */
function valuesOf(pairs: readonly Element[], oid: string): Element[] {
  return pairs.flatMap((pair) => {
    const parts = elementsOf(pair.content)
    const value = parts.at(-1)
    return parts[0] !== undefined && value !== undefined && hexOf(parts[0].content) === oid ? [value] : []
  })
}

/**
 * Returns the types of the alternative names that a request wants.
 * @throws DerError if its attributes cannot be parsed
 */
export function alternativeNames({ attributes }: CertificateRequest): AlternativeName[] {
  const wanted = attributes === undefined ? [] : valuesOf(elementsOf(attributes.content), extensionRequest)
  const extensions = wanted.flatMap((set) => elementsOf(set.content)).flatMap((list) => elementsOf(list.content))
  const names = valuesOf(extensions, subjectAlternativeName).flatMap((octets) => elementsOf(firstElement(octets.content).content))
  return names.flatMap(({ tag }) => nameTypes.get(tag) ?? [])
}

/** Parses a request. @throws DerError if it is not one */
export function parseDer(der: Uint8Array): CertificateRequest {
  const outer = firstElement(der)
  if (outer.tag !== tags.sequence) throw new DerError('asn1: structure error: tags do not match')
  if (outer.whole.length < der.length) throw new DerError('asn1: syntax error: trailing data')
  const parts = elementsOf(outer.content)
  const signed = expected(parts, 0, tags.sequence)
  const algorithm = expected(parts, 1, tags.sequence)
  const signature = expected(parts, 2, tags.bitString)
  const info = elementsOf(signed.content)
  expected(info, 0, tags.integer)
  const publicKey = expected(info, 2, tags.sequence)
  const keyAlgorithm = expected(elementsOf(publicKey.content), 0, tags.sequence)
  const subject = expected(info, 1, tags.sequence)
  return {
    organizations: textsOf(subject, organization),
    commonName: textsOf(subject, commonName).at(-1) ?? '',
    attributes: info[3],
    signed: signed.whole,
    publicKey: publicKey.whole,
    keyAlgorithm: hexOf(expected(elementsOf(keyAlgorithm.content), 0, tags.oid).content),
    algorithm,
    // The first byte of a bit string is the number of unused bits in its last byte.
    signature: signature.content.subarray(1),
  }
}

/**
 * Parses spec.request of a CertificateSigningRequest.
 * @param base64 a PEM block in base64, the form of bytes in JSON
 * @throws DerError if it is not a certificate request
 */
export function parseRequest(base64: string): CertificateRequest {
  const block = firstBlock(base64)
  if (block?.label !== 'CERTIFICATE REQUEST') throw new DerError('PEM block type must be CERTIFICATE REQUEST')
  return parseDer(block.der)
}

function algorithmOf(algorithm: Element): SignatureAlgorithm | undefined {
  const oid = hexOf(expected(elementsOf(algorithm.content), 0, tags.oid).content)
  if (oid !== pss) return algorithms[oid]
  const parameters = hexOf(algorithm.content)
  const hash = pssHashes.find(([text]) => parameters.includes(text))?.[1]
  return hash === undefined ? undefined : { name: 'RSAPSS', key: 'RSA', hash }
}

function verifies(request: CertificateRequest, { name, key, hash }: SignatureAlgorithm): boolean {
  const padding = name === 'RSAPSS' ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  const options = {
    key: Buffer.from(request.publicKey),
    format: 'der',
    type: 'spki',
    ...(key === 'RSA' && { padding }),
    ...(name === 'RSAPSS' && { saltLength: constants.RSA_PSS_SALTLEN_DIGEST }),
  } as const
  try {
    return verify(hash, request.signed, options, request.signature)
  } catch {
    // OpenSSL cannot read this key: the signature counts as invalid.
    return false
  }
}

/** Returns the error of a request's signature with Go's text; undefined if it is valid. @throws DerError for an algorithm that is not DER */
export function signatureError(request: CertificateRequest): string | undefined {
  const algorithm = algorithmOf(request.algorithm)
  if (algorithm === undefined) {
    const isInsecure = hexOf(request.algorithm.content).includes(insecure)
    return isInsecure
      ? 'x509: cannot verify signature: insecure algorithm MD5-RSA'
      : 'x509: cannot verify signature: algorithm unimplemented'
  }
  const keyType = keyTypes[request.keyAlgorithm]
  if (keyType === undefined) return 'x509: cannot verify signature: algorithm unimplemented'
  if (keyType.key !== algorithm.key) {
    return `x509: signature algorithm specifies an ${algorithm.key} public key, but have public key of type ${keyType.go}`
  }
  return verifies(request, algorithm) ? undefined : failures[algorithm.key]
}

/**
 * Validates a request including its signature.
 * @param base64 a PEM block in base64, the form of bytes in JSON
 * @returns the error message with Go's text; undefined if the request is valid
 */
export function requestError(base64: string): string | undefined {
  try {
    return signatureError(parseRequest(base64))
  } catch (error) {
    if (error instanceof DerError) return error.message
    throw error
  }
}
