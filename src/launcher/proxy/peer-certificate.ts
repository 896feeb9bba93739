/** Reads the client's certificate of a TLS connection into the form of Cloudflare's `request.cf.tlsClientAuth`. */
import { createHash, type X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { TlsClientAuth } from '../../auth/client-certificates.ts'

/** The certificate of a TLS handshake, and how long it is valid. */
interface PeerCertificate {
  readonly auth: TlsClientAuth
  /** Milliseconds since the epoch. */
  readonly validUntil: number
}

/**
 * Reads the certificate of a connection whose handshake is over.
 * @returns undefined if the client has sent none
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
      certNotAfter: certificate.validTo,
    },
    validUntil: Date.parse(certificate.validTo),
  }
}

/** Gives the certificate as it is at a time: one that expires while its connection is open is not valid any more. */
export function currentAuth({ auth, validUntil }: PeerCertificate, now: number): TlsClientAuth {
  if (now <= validUntil || auth.certVerified !== 'SUCCESS') return auth
  return { ...auth, certVerified: 'FAILED:CERT_HAS_EXPIRED' }
}

/**
 * Writes a subject as RFC 2253 does, the last attribute first. Node writes one attribute a line in the certificate's order, and
 * escapes all that is special in a value: neither the end of a line nor an unescaped `+` can come from a value.
 */
export function distinguishedName(subject: X509Certificate['subject']): string {
  return (subject ?? '')
    .split('\n')
    .map((line) => line.replaceAll(' + ', '+'))
    .reverse()
    .join(',')
}
