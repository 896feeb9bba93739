/** Checks who signed a certificate. Follows Certificate.CheckSignatureFrom of Go's crypto/x509, with its errors. */
import { elementsOf, expected, firstElement, hexOf, tags } from '../der.ts'
import type { Certificate } from './certificate.ts'

/** A type of key with Go's names: that of the algorithm and that of the type, and the error for a wrong signature. */
interface KeyType {
  readonly algorithm: string
  readonly type: string
  readonly failure: string
}

const keyTypes: Readonly<Record<string, KeyType>> = {
  rsa: { algorithm: 'RSA', type: '*rsa.PublicKey', failure: 'crypto/rsa: verification error' },
  ec: { algorithm: 'ECDSA', type: '*ecdsa.PublicKey', failure: 'x509: ECDSA verification failure' },
  ed25519: { algorithm: 'Ed25519', type: 'ed25519.PublicKey', failure: 'x509: Ed25519 verification failure' },
}

const rsaPss = '2a864886f70d01010a'

/** The accepted algorithms by the content of their object identifiers. */
const algorithms: Readonly<Record<string, keyof typeof keyTypes>> = {
  '2a864886f70d01010b': 'rsa',
  '2a864886f70d01010c': 'rsa',
  '2a864886f70d01010d': 'rsa',
  [rsaPss]: 'rsa',
  '2a8648ce3d040302': 'ec',
  '2a8648ce3d040303': 'ec',
  '2a8648ce3d040304': 'ec',
  '2b6570': 'ed25519',
}

const insecure: Readonly<Record<string, string>> = {
  '2a864886f70d010104': 'MD5-RSA',
  '2a864886f70d010105': 'SHA1-RSA',
  '2a8648ce3d0401': 'ECDSA-SHA1',
}

/** The object identifiers of SHA-256, SHA-384 and SHA-512: PSS names its hash in the parameters. */
const pssHash = /060960864801650304020[123]/

const unimplemented = 'x509: cannot verify signature: algorithm unimplemented'

/** Returns Go's error if an authority has not signed a certificate or must not sign any. */
export function signatureProblem(certificate: Certificate, authority: Certificate): string | undefined {
  const { basicConstraints, version, maySignCertificates, x509 } = authority
  const isAuthority = basicConstraints?.isAuthority ?? version !== 3
  if (!isAuthority || maySignCertificates === false)
    return 'x509: invalid signature: parent certificate cannot sign this kind of certificate'
  const type = keyTypes[x509.publicKey.asymmetricKeyType ?? '']
  if (type === undefined) return unimplemented
  const identifier = certificate.signatureAlgorithm
  const algorithm = hexOf(expected(elementsOf(firstElement(identifier).content), 0, tags.oid).content)
  const weak = insecure[algorithm]
  if (weak !== undefined) return `x509: cannot verify signature: insecure algorithm ${weak}`
  const needed = keyTypes[algorithms[algorithm] ?? '']
  if (needed === undefined || (algorithm === rsaPss && !pssHash.test(hexOf(identifier)))) return unimplemented
  if (needed !== type)
    return `x509: signature algorithm specifies an ${needed.algorithm} public key, but have public key of type ${type.type}`
  return certificate.x509.verify(x509.publicKey) ? undefined : type.failure
}
