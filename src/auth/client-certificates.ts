/** Client certificates, verified where TLS ends. Follows "X509 client certificates" and CommonNameUserConversion of apiserver. */
import type { User } from '../meta/user.ts'
import { parseDistinguishedName } from './distinguished-name.ts'

/** The client's certificate as Cloudflare or the launcher's TLS proxy describes it: `request.cf.tlsClientAuth`, which no client can write. */
export interface TlsClientAuth {
  readonly certPresented?: string
  readonly certVerified?: string
  readonly certRevoked?: string
  readonly certSubjectDNRFC2253?: string
  readonly certFingerprintSHA256?: string
}

/** Where the API server finds the user's UID in a certificate's subject. */
const uidAttribute = '1.3.6.1.4.1.57683.2'

/**
 * Whom a certificate names: CN is the name, of several the last one, each O is a group.
 * @returns undefined without a certificate and for one without a name, `invalid` for one that is not verified, is revoked or
 * leaves a doubt
 */
export function certificateUser(auth: TlsClientAuth | undefined): User | 'invalid' | undefined {
  if (auth?.certPresented !== '1') return undefined
  if (auth.certVerified !== 'SUCCESS' || auth.certRevoked === '1') return 'invalid'
  // The last attribute of the certificate stands first.
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
