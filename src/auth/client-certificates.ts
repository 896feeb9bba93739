/** Client certificates, verified where TLS ends. Follows "X509 client certificates" and CommonNameUserConversion of apiserver. */
import type { User } from '../meta/user.ts'
import { parseDistinguishedName } from './distinguished-name.ts'

/** What Cloudflare says of the client's certificate: `request.cf.tlsClientAuth`, which no client can write. */
export interface TlsClientAuth {
  readonly certPresented?: string
  readonly certVerified?: string
  readonly certRevoked?: string
  readonly certSubjectDNRFC2253?: string
  readonly certFingerprintSHA256?: string
}

/**
 * The user that a verified certificate names: CN is the name, each O is a group.
 * @returns undefined without a certificate, for one that is not verified or is revoked, and for a subject with other than one CN
 */
export function certificateUser(auth: TlsClientAuth | undefined): User | undefined {
  if (auth?.certPresented !== '1' || auth.certVerified !== 'SUCCESS' || auth.certRevoked === '1') return undefined
  const subject = parseDistinguishedName(auth.certSubjectDNRFC2253 ?? '') ?? []
  const valuesOf = (type: string): string[] => subject.filter((one) => one.type.toUpperCase() === type).map(({ value }) => value)
  const [name = '', ...otherNames] = valuesOf('CN')
  if (name === '' || otherNames.length > 0) return undefined
  const { certFingerprintSHA256: fingerprint = '' } = auth
  const extra: User['extra'] =
    fingerprint === '' ? {} : { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint.toLowerCase()}`] }
  return { name, uid: '', groups: valuesOf('O'), extra }
}
