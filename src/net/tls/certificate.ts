/** Parses the fields of a certificate that node:crypto does not show as they are encoded (RFC 5280, section 4.1). */
import { X509Certificate } from 'node:crypto'
import { DerError, type Element, elementsOf, expected, firstElement, hexOf, tags } from '../der.ts'

/** The contents of object identifiers of extensions, in hexadecimal digits. */
const extensionTypes = {
  subjectKeyIdentifier: '551d0e',
  keyUsage: '551d0f',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  nameConstraints: '551d1e',
  authorityKeyIdentifier: '551d23',
} as const

/** Extensions that crypto/x509 processes: distribution points, policies, extended key usages and access to authorities, too. */
const processed: ReadonlySet<string> = new Set([
  ...Object.values(extensionTypes),
  ...['551d1f', '551d20', '551d21', '551d24', '551d25', '551d36', '2b06010505070101'],
])

/** The tags of a GeneralName. */
export const generalNames = { dns: 0x82, address: 0x87 } as const

/** The subtrees of an extension with name constraints: each is the element of a GeneralName. */
export interface NameConstraints {
  readonly permitted: readonly Element[]
  readonly excluded: readonly Element[]
}

/** A certificate. Names, keys and identifiers are hexadecimal digits of their DER: they are compared byte by byte. */
export interface Certificate {
  readonly x509: X509Certificate
  readonly version: number
  readonly issuer: string
  readonly subject: string
  readonly publicKey: string
  /** The AlgorithmIdentifier of the signature. */
  readonly signatureAlgorithm: Uint8Array
  readonly subjectKeyIdentifier: string
  readonly authorityKeyIdentifier: string
  readonly basicConstraints: { readonly isAuthority: boolean; readonly pathLength: number | undefined } | undefined
  /** Undefined if all usages are allowed. */
  readonly maySignCertificates: boolean | undefined
  /** The encoded subjectAltName; empty if the certificate has none. */
  readonly alternativeNames: string
  readonly names: readonly Element[]
  readonly nameConstraints: NameConstraints | undefined
  readonly hasUnknownCriticalExtension: boolean
}

interface Extension {
  readonly isCritical: boolean
  readonly value: Uint8Array
}

const versionTag = 0xa0
const extensionsTag = 0xa3
const [permittedTag, excludedTag] = [0xa0, 0xa1]

const sequenceIn = (der: Uint8Array): Element[] => elementsOf(expected([firstElement(der)], 0, tags.sequence).content)

function extensionsOf(body: readonly Element[]): ReadonlyMap<string, Extension> {
  const found = body.find(({ tag }) => tag === extensionsTag)
  if (found === undefined) return new Map()
  const list = sequenceIn(found.content)
  const extensions = new Map(
    list.map(({ content }): [string, Extension] => {
      const parts = elementsOf(content)
      const isCritical = parts.length > 2 && (expected(parts, 1, tags.boolean).content[0] ?? 0) !== 0
      const value = expected(parts, parts.length - 1, tags.octetString).content
      return [hexOf(expected(parts, 0, tags.oid).content), { isCritical, value }]
    }),
  )
  if (extensions.size < list.length) throw new DerError('x509: certificate contains duplicate extensions')
  return extensions
}

function basicConstraintsOf(value: Uint8Array): Certificate['basicConstraints'] {
  const parts = sequenceIn(value)
  const isAuthority = parts[0]?.tag === tags.boolean && (parts[0].content[0] ?? 0) !== 0
  const length = parts.find(({ tag }) => tag === tags.integer)
  const pathLength = length?.content.reduce((sum, byte) => sum * 256 + byte, 0)
  return { isAuthority, pathLength }
}

function maySign(value: Uint8Array): boolean | undefined {
  const [, first = 0, second = 0] = expected([firstElement(value)], 0, tags.bitString).content
  const keyCertSign = 0x04
  return first === 0 && second === 0 ? undefined : (first & keyCertSign) !== 0
}

function nameConstraintsOf(value: Uint8Array): NameConstraints {
  const parts = sequenceIn(value)
  const subtrees = (tag: number): Element[] =>
    parts
      .filter((part) => part.tag === tag)
      .flatMap(({ content }) => elementsOf(content).map((tree) => firstElement(tree.content)))
  return { permitted: subtrees(permittedTag), excluded: subtrees(excludedTag) }
}

/**
 * Parses a certificate.
 * @param encoded PEM or DER
 * @throws DerError, or an error of node:crypto, for anything else
 */
export function parseCertificate(encoded: string | Uint8Array): Certificate {
  const x509 = new X509Certificate(typeof encoded === 'string' ? encoded : Buffer.from(encoded))
  const body = elementsOf(expected(sequenceIn(x509.raw), 0, tags.sequence).content)
  const start = body[0]?.tag === versionTag ? 1 : 0
  const version = start === 0 ? 1 : (firstElement(body[0]?.content ?? new Uint8Array()).content[0] ?? 0) + 1
  const field = (at: number): Element => expected(body, start + at, tags.sequence)
  const extensions = extensionsOf(body)
  const contentOf = (type: keyof typeof extensionTypes): Uint8Array | undefined => extensions.get(extensionTypes[type])?.value
  const read = <T>(type: keyof typeof extensionTypes, parse: (value: Uint8Array) => T): T | undefined => {
    const value = contentOf(type)
    return value === undefined ? undefined : parse(value)
  }
  const authorityKey = read('authorityKeyIdentifier', sequenceIn)?.find(({ tag }) => tag === 0x80)
  return {
    x509,
    version,
    signatureAlgorithm: field(1).whole,
    issuer: hexOf(field(2).whole),
    subject: hexOf(field(4).whole),
    publicKey: hexOf(field(5).whole),
    subjectKeyIdentifier: hexOf(read('subjectKeyIdentifier', firstElement)?.content ?? new Uint8Array()),
    authorityKeyIdentifier: hexOf(authorityKey?.content ?? new Uint8Array()),
    basicConstraints: read('basicConstraints', basicConstraintsOf),
    maySignCertificates: read('keyUsage', maySign),
    alternativeNames: hexOf(contentOf('subjectAltName') ?? new Uint8Array()),
    names: read('subjectAltName', sequenceIn) ?? [],
    nameConstraints: read('nameConstraints', nameConstraintsOf),
    hasUnknownCriticalExtension: [...extensions].some(([type, { isCritical }]) => isCritical && !processed.has(type)),
  }
}
