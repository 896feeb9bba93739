/**
 * X.509 client certificates, already verified at TLS termination. Follows "X509 client certificates" and CommonNameUserConversion
 * of apiserver.
 */
import type { User } from '../meta/user.ts'
import { parseDistinguishedName } from './distinguished-name.ts'

/**
 * The client certificate facts that Cloudflare or the launcher's TLS proxy sets in `request.cf.tlsClientAuth`. No client can
 * write them.
 */
export interface TlsClientAuth {
  readonly certPresented?: string
  readonly certVerified?: string
  readonly certRevoked?: string
  readonly certSubjectDNRFC2253?: string
  readonly certFingerprintSHA256?: string
  /** The end of its validity, as OpenSSL writes it: `Dec 22 19:39:00 2027 GMT`. */
  readonly certNotAfter?: string
}

/** The subject attribute from which kube-apiserver takes the user's UID. */
const uidAttribute = '1.3.6.1.4.1.57683.2'

/**
 * Returns the user that a certificate names: the last CN is the name, each O is a group.
 * @returns undefined without a certificate or without a name in it; `invalid` if it is not verified, is revoked, or its subject
 * is ambiguous
 */
export function certificateUser(auth: TlsClientAuth | undefined): User | 'invalid' | undefined {
  if (auth?.certPresented !== '1') return undefined
  if (auth.certVerified !== 'SUCCESS' || auth.certRevoked === '1') return 'invalid'
  // RFC 2253 writes the last attribute of the certificate first.
  const subject = parseDistinguishedName(auth.certSubjectDNRFC2253 ?? '')?.reverse()
  if (subject === undefined) return 'invalid'
  const valuesOf = (type: string): string[] => subject.filter((one) => one.type.toUpperCase() === type).map(({ value }) => value)
  const name = valuesOf('CN').at(-1) ?? ''
  if (name === '') return undefined
  const [uid, ...otherUids] = valuesOf(uidAttribute)
  if (uid === '' || otherUids.length > 0) return 'invalid'
  const { certFingerprintSHA256: fingerprint = '' } = auth
  const extra: User['extra'] =
    fingerprint === '' ? {} : { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint.toLowerCase()}`] }
  return { name, uid: uid ?? '', groups: valuesOf('O'), extra }
}
