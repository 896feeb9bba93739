import { isIP } from 'node:net'

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const day = 24 * 60 * 60 * 1000
const authorityDays = 3650
/** How long a certificate of a server or client is valid. */
const certificateDays = 365
// A client's clock may be behind this machine's.
const skew = 60 * 60 * 1000

/** Makes a certificate authority, valid for ten years. */
export async function issueAuthority(name = 'edgeplane-ca', now = Date.now()): Promise<KeyPair> {
  const x509 = await certificateLibrary()
  const keys = await generateKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${name}@${Math.floor(now / 1000)}`,
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(now - skew),
    notAfter: new Date(now + authorityDays * day),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: `${certificate.toString('pem')}\n`, key: await privateKeyPem(keys.privateKey) }
}

/** The purpose of a certificate: a server's names (DNS names and addresses), or a client's common name. */
type Purpose = { readonly server: readonly string[] } | { readonly client: string }

/** Makes a server certificate for `names` (DNS names and addresses), signed by `authority`, valid for `days`. */
export const issueServer = (
  authority: KeyPair,
  names: readonly string[],
  days = certificateDays,
  now = Date.now(),
): Promise<KeyPair> => issue(authority, { server: names }, days, now)

/** Makes a client certificate with this common name, signed by `authority`. */
export const issueClient = (authority: KeyPair, name: string): Promise<KeyPair> =>
  issue(authority, { client: name }, certificateDays, Date.now())

async function issue(authority: KeyPair, purpose: Purpose, days: number, now: number): Promise<KeyPair> {
  const x509 = await certificateLibrary()
  const issuer = new x509.X509Certificate(authority.certificate)
  const keys = await generateKeys()
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage
  const alternatives = 'server' in purpose ? purpose.server : []
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: `CN=${'client' in purpose ? purpose.client : 'edgeplane'}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await privateKey(authority.key),
    signingAlgorithm: algorithm,
    notBefore: new Date(now - skew),
    notAfter: new Date(now + days * day),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(['server' in purpose ? serverAuth : clientAuth]),
      ...(alternatives.length === 0
        ? []
        : [
            new x509.SubjectAlternativeNameExtension(
              alternatives.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
            ),
          ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: `${certificate.toString('pem')}\n`, key: await privateKeyPem(keys.privateKey) }
}

// The library's dependency injection looks for a metadata polyfill when it loads, and never stores anything in it here.
const metadata = { getMetadata: () => undefined, getOwnMetadata: () => undefined, defineMetadata: () => undefined }

/** Loads the library that makes certificates: it is large, and loaded only if one is made. */
export async function certificateLibrary() {
  if (!('getMetadata' in Reflect)) Object.assign(Reflect, metadata)
  return await import('@peculiar/x509')
}

async function generateKeys(): Promise<CryptoKeyPair> {
  return (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair
}

function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  // A serial number is positive and its first byte not zero.
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return Buffer.from(bytes).toString('hex')
}

async function privateKeyPem(key: CryptoKey): Promise<string> {
  const der = Buffer.from((await crypto.subtle.exportKey('pkcs8', key)) as ArrayBuffer).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${(der.match(/.{1,64}/g) ?? []).join('\n')}\n-----END PRIVATE KEY-----\n`
}

async function privateKey(pem: string): Promise<CryptoKey> {
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
  return await crypto.subtle.importKey('pkcs8', new Uint8Array(der), algorithm, false, ['sign'])
}
