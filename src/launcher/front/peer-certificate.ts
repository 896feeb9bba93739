/** What is known of the client's certificate on a TLS connection, in the words in which Cloudflare says it. */
import { createHash, type X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { TlsClientAuth } from '../../auth/client-certificates.ts'

/** A certificate as it was found at the handshake, and until when that is true. */
interface PeerCertificate {
  readonly auth: TlsClientAuth
  /** Milliseconds since the epoch. */
  readonly validUntil: number
}

/**
 * Reads the certificate of a connection whose handshake is over.
 * @returns undefined where the client has shown none
 */
export function peerCertificate(socket: TLSSocket): PeerCertificate | undefined {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return undefined
  const isVerified = socket.authorized && !socket.isSessionReused()
  return {
    auth: {
      certPresented: '1',
      certVerified: isVerified ? 'SUCCESS' : `FAILED:${String(socket.authorizationError)}`,
      certRevoked: '0',
      certSubjectDNRFC2253: isVerified ? distinguishedName(certificate.subject) : '',
      certFingerprintSHA256: createHash('sha256').update(certificate.raw).digest('hex'),
    },
    validUntil: Date.parse(certificate.validTo),
  }
}

/** The certificate as it is now: one that ends while the connection goes on is no longer good. */
export function currentAuth({ auth, validUntil }: PeerCertificate, now: number): TlsClientAuth {
  if (now <= validUntil || auth.certVerified !== 'SUCCESS') return auth
  return { ...auth, certVerified: 'FAILED:CERT_HAS_EXPIRED' }
}

/**
 * A subject as RFC 2253 writes it: the last attribute first. Node writes one to a line in the order of the certificate, with
 * everything escaped that is special in a value: neither an end of a line nor an unescaped `+` can come from one.
 */
export function distinguishedName(subject: X509Certificate['subject']): string {
  return (subject ?? '')
    .split('\n')
    .map((line) => line.replaceAll(' + ', '+'))
    .reverse()
    .join(',')
}
