/** Verifies the certificates of a server. Follows Certificate.Verify of Go's crypto/x509, with its errors. */
import { X509Certificate } from 'node:crypto'
import { goQuote } from '../../go/text.ts'
import { TlsError } from './bytes.ts'

/** The maximum number of signatures that are checked: a server may send many certificates with one name. */
const mostChecks = 100
/** The longest chain. */
const longestChain = 8
const serverAuth = '1.3.6.1.5.5.7.3.1'
const anyUsage = '2.5.29.37.0'

const refused = (why: string): TlsError => new TlsError(`tls: failed to verify certificate: x509: ${why}`)

/** The names of a certificate. */
interface Names {
  readonly dns: readonly string[]
  readonly ip: readonly string[]
}

function namesOf({ subjectAltName = '' }: X509Certificate): Names {
  const entries = (subjectAltName ?? '').split(', ')
  const after = (prefix: string): string[] =>
    entries.filter((entry) => entry.startsWith(prefix)).map((entry) => entry.slice(prefix.length))
  return { dns: after('DNS:'), ip: after('IP Address:') }
}

const isAddress = (name: string): boolean => /^[\d.]+$/.test(name) || name.includes(':')

function checkName(leaf: X509Certificate, serverName: string): void {
  const { dns, ip } = namesOf(leaf)
  if (isAddress(serverName)) {
    if (leaf.checkIP(serverName) !== undefined) return
    if (ip.length === 0) throw refused(`cannot validate certificate for ${serverName} because it doesn't contain any IP SANs`)
    throw refused(`certificate is valid for ${ip.join(', ')}, not ${serverName}`)
  }
  if (dns.length > 0 && leaf.checkHost(serverName, { subject: 'never' }) !== undefined) return
  if (dns.length === 0 && ip.length === 0) throw refused('certificate relies on legacy Common Name field, use SANs instead')
  if (dns.length === 0) throw refused(`certificate is not valid for any names, but wanted to match ${serverName}`)
  throw refused(`certificate is valid for ${dns.join(', ')}, not ${serverName}`)
}

const shown = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')

function checkTime({ validFrom, validTo }: X509Certificate, now: number): void {
  const problem = 'certificate has expired or is not yet valid: current time'
  if (now < Date.parse(validFrom)) throw refused(`${problem} ${shown(now)} is before ${shown(Date.parse(validFrom))}`)
  if (now > Date.parse(validTo)) throw refused(`${problem} ${shown(now)} is after ${shown(Date.parse(validTo))}`)
}

function isTimely(certificate: X509Certificate, now: number): boolean {
  return Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo)
}

function checkUsage({ keyUsage }: X509Certificate): void {
  const usages = keyUsage as readonly string[] | undefined
  if (usages !== undefined && usages.length > 0 && !usages.includes(serverAuth) && !usages.includes(anyUsage))
    throw refused('certificate specifies an incompatible key usage')
}

const isSame = (a: X509Certificate, b: X509Certificate): boolean => a.raw.equals(b.raw)

/** The search for a chain to an authority. */
class ChainSearch {
  readonly #authorities: readonly X509Certificate[]
  readonly #intermediates: readonly X509Certificate[]
  readonly #now: number
  #checks = 0
  /** The first authority of the right name whose key has not signed. */
  hint: X509Certificate | undefined

  constructor(authorities: readonly X509Certificate[], intermediates: readonly X509Certificate[], now: number) {
    this.#authorities = authorities
    this.#intermediates = intermediates
    this.#now = now
  }

  isTrusted(certificate: X509Certificate, length = 1): boolean {
    if (this.#authorities.some((authority) => isSame(authority, certificate))) return true
    if (length >= longestChain) return false
    if (this.#authorities.some((authority) => this.#hasSigned(authority, certificate))) return true
    return this.#intermediates.some(
      (issuer) =>
        issuer.ca && !isSame(issuer, certificate) && this.#hasSigned(issuer, certificate) && this.isTrusted(issuer, length + 1),
    )
  }

  #hasSigned(issuer: X509Certificate, certificate: X509Certificate): boolean {
    if (issuer.subject !== certificate.issuer) return false
    if (!isTimely(issuer, this.#now)) return false
    if (++this.#checks > mostChecks) throw refused('signature check attempts exceeds limit while verifying certificate chain')
    if (certificate.verify(issuer.publicKey)) return true
    this.hint ??= issuer
    return false
  }
}

/** Returns Go's error for a key that has not made a signature. */
function signatureError({ publicKey }: X509Certificate): string {
  const type = publicKey.asymmetricKeyType
  if (type === 'rsa') return 'crypto/rsa: verification error'
  return type === 'ec' ? 'x509: ECDSA verification failure' : 'x509: Ed25519 verification failure'
}

const commonName = ({ subject }: X509Certificate): string => /^CN=(.*)$/m.exec(subject)?.[1] ?? ''

/**
 * Verifies the certificates of a server.
 * @param chain DER, the server's own first
 * @param authorities PEM
 * @throws TlsError
 */
export function verifyCertificates(
  chain: readonly Uint8Array[],
  serverName: string,
  authorities: readonly string[],
  now: number,
): X509Certificate {
  const [leaf, ...intermediates] = chain.map((der) => new X509Certificate(Buffer.from(der)))
  if (leaf === undefined) throw new TlsError('tls: received empty certificates message')
  checkTime(leaf, now)
  checkName(leaf, serverName)
  const search = new ChainSearch(
    authorities.map((pem) => new X509Certificate(pem)),
    intermediates,
    now,
  )
  if (!search.isTrusted(leaf)) {
    const { hint } = search
    const because =
      hint === undefined
        ? ''
        : ` (possibly because of ${goQuote(signatureError(hint))} while trying to verify candidate authority certificate ${goQuote(commonName(hint))})`
    throw refused(`certificate signed by unknown authority${because}`)
  }
  checkUsage(leaf)
  return leaf
}
