/** Verifies the certificates of a server. Follows Certificate.Verify of Go's crypto/x509, with its errors. */
import type { X509Certificate } from 'node:crypto'
import { goQuote } from '../../go/text.ts'
import { DerError } from '../der.ts'
import { TlsError } from './bytes.ts'
import { type Certificate, parseCertificate } from './certificate.ts'
import { signatureProblem } from './certificate-signature.ts'
import { constraintProblem } from './name-constraints.ts'

/** The maximum number of signatures that are checked: a server may send many certificates with one name. */
const mostChecks = 100
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

/** Returns the error of a certificate that must not be used now, or not at all. */
function validityProblem({ x509, hasUnknownCriticalExtension }: Certificate, now: number): string | undefined {
  const [from, to] = [Date.parse(x509.validFrom), Date.parse(x509.validTo)]
  const problem = 'certificate has expired or is not yet valid: current time'
  if (hasUnknownCriticalExtension) return 'unhandled critical extension'
  if (now < from) return `${problem} ${shown(now)} is before ${shown(from)}`
  return now > to ? `${problem} ${shown(now)} is after ${shown(to)}` : undefined
}

function mayServe({ x509: { keyUsage } }: Certificate): boolean {
  const usages = keyUsage as readonly string[] | undefined
  return usages === undefined || usages.length === 0 || usages.includes(serverAuth) || usages.includes(anyUsage)
}

/** The certificate of the server, and each authority after the certificate that it signed. */
type Chain = readonly Certificate[]

/** Chains to an authority; without any, the reason. */
interface Search {
  readonly chains: readonly Chain[]
  readonly problem?: string
}

/** Certificates that may have signed others. */
interface Pool {
  readonly certificates: readonly Certificate[]
  readonly isTrusted: boolean
}

const isSame = (a: Certificate, b: Certificate): boolean => a.x509.raw.equals(b.x509.raw)

/** Whether a chain already contains this subject with this key and these names. */
const contains = (chain: Chain, { subject, publicKey, alternativeNames }: Certificate): boolean =>
  chain.some((link) => link.subject === subject && link.publicKey === publicKey && link.alternativeNames === alternativeNames)

/** Orders possible issuers: those with the identifier of the key first, those with another one last. */
function plausibility({ subjectKeyIdentifier: own }: Certificate, { authorityKeyIdentifier: wanted }: Certificate): number {
  if (own === wanted) return 0
  return own === '' || wanted === '' ? 1 : 2
}

const limitReached = 'signature check attempts limit reached while verifying certificate chain'

const commonName = ({ subject }: X509Certificate): string => /^CN=(.*)$/m.exec(subject)?.[1] ?? ''

/** The search for chains to the authorities. */
class ChainSearch {
  readonly #pools: readonly Pool[]
  readonly #now: number
  #checks = 0

  constructor(authorities: readonly Certificate[], intermediates: readonly Certificate[], now: number) {
    this.#pools = [
      { certificates: authorities, isTrusted: true },
      { certificates: intermediates, isTrusted: false },
    ]
    this.#now = now
  }

  find(chain: Chain, child: Certificate): Search {
    const chains: Chain[] = []
    let problem: string | undefined
    let hint = ''
    for (const { issuer, isTrusted } of this.#issuersOf(child)) {
      if (++this.#checks > mostChecks) problem = limitReached
      if (problem === limitReached) break
      if (contains(chain, issuer)) continue
      const unsigned = signatureProblem(child, issuer)
      if (unsigned !== undefined) {
        hint ||= ` (possibly because of ${goQuote(unsigned)} while trying to verify candidate authority certificate ${goQuote(commonName(issuer.x509))})`
        continue
      }
      problem = this.#issuerProblem(chain, issuer, isTrusted)
      if (problem !== undefined) continue
      const longer = [...chain, issuer]
      const found: Search = isTrusted ? { chains: [longer] } : this.find(longer, issuer)
      chains.push(...found.chains)
      problem = found.problem
    }
    return chains.length > 0 ? { chains } : { chains, problem: problem ?? `certificate signed by unknown authority${hint}` }
  }

  #issuersOf(child: Certificate): { readonly issuer: Certificate; readonly isTrusted: boolean }[] {
    return this.#pools.flatMap(({ certificates, isTrusted }) =>
      certificates
        .filter(({ subject }) => subject === child.issuer)
        .sort((a, b) => plausibility(a, child) - plausibility(b, child))
        .map((issuer) => ({ issuer, isTrusted })),
    )
  }

  #issuerProblem(chain: Chain, issuer: Certificate, isTrusted: boolean): string | undefined {
    const problem = validityProblem(issuer, this.#now)
    if (problem !== undefined) return problem
    const { basicConstraints } = issuer
    if (!isTrusted && basicConstraints?.isAuthority !== true) return 'certificate is not authorized to sign other certificates'
    const isTooLong = chain.length - 1 > (basicConstraints?.pathLength ?? Number.POSITIVE_INFINITY)
    return isTooLong ? 'too many intermediates for path length constraint' : undefined
  }
}

/** Returns the error if no chain may be used for this server. */
function chainProblem(chains: readonly Chain[]): string | undefined {
  const serving = chains.filter((chain) => chain.every(mayServe))
  const problems = serving.map(constraintProblem)
  if (problems.includes(undefined)) return undefined
  const [first] = problems
  return first === undefined
    ? 'certificate specifies an incompatible key usage'
    : `a root or intermediate certificate is not authorized to sign for this name: ${first}`
}

function parsed(der: Uint8Array): Certificate {
  try {
    return parseCertificate(der)
  } catch (error) {
    if (!(error instanceof DerError)) throw error
    throw new TlsError('tls: failed to parse certificate from server: x509: malformed certificate')
  }
}

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
  const [leaf, ...intermediates] = chain.map(parsed)
  if (leaf === undefined) throw new TlsError('tls: received empty certificates message')
  const invalid = validityProblem(leaf, now)
  if (invalid !== undefined) throw refused(invalid)
  checkName(leaf.x509, serverName)
  const roots = authorities.map(parseCertificate)
  const isTrusted = roots.some((root) => isSame(root, leaf))
  const { chains, problem }: Search = isTrusted
    ? { chains: [[leaf]] }
    : new ChainSearch(roots, intermediates, now).find([leaf], leaf)
  const reason = problem ?? chainProblem(chains)
  if (reason !== undefined) throw refused(reason)
  return leaf.x509
}
