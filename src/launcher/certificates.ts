import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { certificateNames } from './addresses.ts'
import { type DataDirectory, readIfPresent, writePrivateFile } from './data-directory.ts'
import type { KeyPair } from './issue-certificates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'
import type { StartOptions } from './options.ts'

/** The certificate that the server presents, and the authority that clients are told to trust. */
export interface ServingCertificate extends KeyPair {
  /** PEM; undefined if clients trust the issuer anyway. */
  readonly authority: string | undefined
}

interface Parsed {
  readonly pair: KeyPair
  readonly certificate: X509Certificate
}

const day = 24 * 60 * 60 * 1000
// A certificate authority that cannot outlive a new server certificate is replaced.
const authorityReserve = 400 * day
/** The common name of the front proxy's certificate. */
export const frontProxyName = 'front-proxy-client'
const blocks = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const keyBlock = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----/

/**
 * Gives the certificate to serve with: the operator's own, or the data directory's, which is made if it is missing, and renewed if
 * less than a third of its life is left or it does not cover the host.
 * @throws LauncherError if a certificate does not parse, does not match its key or was not issued by its authority
 */
export async function servingCertificate(
  directory: DataDirectory,
  options: Pick<StartOptions, 'host' | 'tls' | 'settings'>,
): Promise<ServingCertificate> {
  if (options.tls !== undefined) return ownCertificate(options.tls)
  const authority = await certificateAuthority(directory, 'ca')
  const names = certificateNames(options.host, options.settings.CLUSTER_DOMAIN)
  const path = join(directory.tls, 'server.pem')
  const existing = parseFile(path)
  if (existing?.certificate.checkIssued(authority.certificate) && !renewalDue(existing.certificate, names)) {
    return { ...existing.pair, authority: authority.pair.certificate }
  }
  const { issueServer } = await import('./issue-certificates.ts')
  const issued = await issueServer(authority.pair, names)
  // Key and certificate share a file, so that no crash can leave one without the other.
  writePrivateFile(path, issued.key + issued.certificate)
  return { ...issued, authority: authority.pair.certificate }
}

/**
 * Returns the time in which the data directory's certificates are used as they are, in milliseconds since 1970: before and after it, a
 * start would make new ones.
 * @throws LauncherError if one of them is damaged
 */
export function timeOfCertificates(directory: DataDirectory): { readonly from: number; readonly until: number } {
  const named = (names: readonly string[]) => names.flatMap((name) => parseFile(join(directory.tls, name))?.certificate ?? [])
  const authorities = named(['ca.pem', 'front-proxy-ca.pem'])
  const issued = named(['server.pem', 'front-proxy-client.pem'])
  return {
    from: Math.max(...issued.map(({ validFrom }) => Date.parse(validFrom))),
    until: Math.min(
      ...authorities.map(({ validTo }) => Date.parse(validTo) - authorityReserve),
      ...issued.map(({ validFrom, validTo }) => Date.parse(validTo) - renewalReserve(Date.parse(validFrom), Date.parse(validTo))),
    ),
  }
}

/** Returns how long before its end a certificate is renewed, in milliseconds. */
const renewalReserve = (from: number, to: number): number => (to - from) / 3

/** Tells whether a server certificate must be replaced: less than a third of its life is left, or it does not cover one of `names`. */
function renewalDue(certificate: X509Certificate, names: readonly string[], now = Date.now()): boolean {
  const from = Date.parse(certificate.validFrom)
  const to = Date.parse(certificate.validTo)
  if (now < from || to - now < renewalReserve(from, to)) return true
  const covers = (name: string): boolean =>
    isIP(name) === 0 ? certificate.checkHost(name.replace(/^\*/, 'any')) !== undefined : certificate.checkIP(name) !== undefined
  return !names.every(covers)
}

/**
 * Gives the certificate with which the server proves to other API servers that it is the front proxy, and the authority that issued
 * it. Both are the data directory's: they are made if they are missing, and renewed as the server's own.
 * @throws LauncherError if a certificate in the data directory is damaged
 */
export async function frontProxyCertificate(
  directory: DataDirectory,
): Promise<ServingCertificate & { readonly authority: string }> {
  const authority = await certificateAuthority(directory, 'front-proxy-ca')
  const path = join(directory.tls, 'front-proxy-client.pem')
  const existing = parseFile(path)
  if (existing?.certificate.checkIssued(authority.certificate) && !renewalDue(existing.certificate, [])) {
    return { ...existing.pair, authority: authority.pair.certificate }
  }
  const { issueClient } = await import('./issue-certificates.ts')
  const issued = await issueClient(authority.pair, frontProxyName)
  writePrivateFile(path, issued.key + issued.certificate)
  return { ...issued, authority: authority.pair.certificate }
}

async function certificateAuthority(directory: DataDirectory, file: 'ca' | 'front-proxy-ca'): Promise<Parsed> {
  const path = join(directory.tls, `${file}.pem`)
  const existing = parseFile(path)
  if (existing !== undefined && Date.parse(existing.certificate.validTo) - Date.now() > authorityReserve) return existing
  const { issueAuthority } = await import('./issue-certificates.ts')
  const pair = await issueAuthority(`edgeplane-${file}`)
  writePrivateFile(path, pair.key + pair.certificate)
  writePrivateFile(join(directory.tls, `${file}.crt`), pair.certificate)
  return { pair, certificate: new X509Certificate(pair.certificate) }
}

function parseFile(path: string): Parsed | undefined {
  const text = readIfPresent(path)
  if (text === undefined) return undefined
  try {
    return parsePair(text, text)
  } catch (error) {
    throw new LauncherError(
      `The certificate in ${path} is damaged (${reasonOf(error)}): delete the file, and the next start makes a new one.`,
    )
  }
}

function ownCertificate(files: { readonly certificate: string; readonly key: string }): ServingCertificate {
  const texts = { certificate: readOwn(files.certificate, '--tls-cert'), key: readOwn(files.key, '--tls-key') }
  try {
    const { pair } = parsePair(texts.certificate, texts.key)
    const last = pair.certificate.match(blocks)?.at(-1) ?? pair.certificate
    const issuer = new X509Certificate(last)
    const selfSigned = issuer.checkIssued(issuer)
    return { ...pair, authority: selfSigned ? `${last}\n` : undefined }
  } catch (error) {
    throw new LauncherError(`The certificate ${files.certificate} with the key ${files.key} cannot be used: ${reasonOf(error)}.`)
  }
}

/**
 * Reads the operator's own client certificate with its key.
 * @param options the options that name the files
 * @throws LauncherError if they do not belong together, or the key is not one of the curve P-256
 */
export function ownClientCertificate(
  files: { readonly certificate: string; readonly key: string },
  options: { readonly certificate: string; readonly key: string },
): KeyPair {
  const certificate = readOwn(files.certificate, options.certificate)
  const key = readOwn(files.key, options.key)
  try {
    const { pair } = parsePair(certificate, key)
    const parsed = createPrivateKey(pair.key)
    if (parsed.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('its key is not one of the curve P-256')
    return { certificate: pair.certificate, key: String(parsed.export({ type: 'pkcs8', format: 'pem' })) }
  } catch (error) {
    throw new LauncherError(`The certificate ${files.certificate} with the key ${files.key} cannot be used: ${reasonOf(error)}.`)
  }
}

/** Reads a file that an option names. @throws LauncherError if it does not exist */
export function readOwn(path: string, option: string): string {
  const text = readIfPresent(path)
  if (text === undefined) throw new LauncherError(`The file ${path} of ${option} does not exist.`)
  return text
}

function parsePair(certificateText: string, keyText: string): Parsed {
  const chain = certificateText.match(blocks)
  const key = keyText.match(keyBlock)?.[0]
  if (chain === null) throw new Error('it holds no PEM certificate')
  if (key === undefined) throw new Error('the key file holds no PEM private key')
  const [certificate] = chain.map(parseCertificate)
  if (certificate === undefined || !certificate.checkPrivateKey(parseKey(key)))
    throw new Error('the private key does not belong to the certificate')
  return { pair: { certificate: `${chain.join('\n')}\n`, key: `${key}\n` }, certificate }
}

function parseCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch {
    throw new Error('the certificate does not parse')
  }
}

function parseKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new Error('the private key does not parse, or is encrypted')
  }
}
