/** A test certificate authority: valid and invalid certificates as PEM with their keys. */
import { certificateLibrary } from '../../src/launcher/issue-certificates.ts'

export interface Pair {
  readonly certificate: string
  readonly key: string
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const hour = 60 * 60 * 1000

/** The attributes of a subject, in order. */
export type Subject = readonly (readonly [type: string, value: string])[]

interface Wish {
  readonly usage?: 'clientAuth' | 'serverAuth' | 'none'
  /** Hours from now. */
  readonly from?: number
  readonly to?: number
  /** The IP addresses of a server certificate. */
  readonly addresses?: readonly string[]
  /** The kind of its key; an elliptic curve by default. */
  readonly key?: 'rsa'
  /** Its DNS names. */
  readonly names?: readonly string[]
}

const generate = async (): Promise<CryptoKeyPair> =>
  (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair

const rsa = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
} as const

const generateRsa = async (): Promise<CryptoKeyPair> =>
  (await crypto.subtle.generateKey(rsa, true, ['sign', 'verify'])) as CryptoKeyPair

async function keyPem({ privateKey }: CryptoKeyPair): Promise<string> {
  const der = Buffer.from((await crypto.subtle.exportKey('pkcs8', privateKey)) as ArrayBuffer).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`
}

/** A CA that issues certificates. */
export interface Authority {
  readonly certificate: string
  issue(subject: Subject, wish?: Wish): Promise<Pair>
}

/** Makes a CA. */
export async function makeAuthority(name: string): Promise<Authority> {
  const x509 = await certificateLibrary()
  const keys = await generate()
  const dates = (from: number, to: number) => ({
    notBefore: new Date(Date.now() + from * hour),
    notAfter: new Date(Date.now() + to * hour),
  })
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: algorithm,
    ...dates(-1, 24),
    extensions: [new x509.BasicConstraintsExtension(true, 0, true), new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign)],
  })
  let serial = 1
  return {
    certificate: `${own.toString('pem')}\n`,
    async issue(subject, { usage = 'clientAuth', from = -1, to = 24, addresses = [], names = [], key } = {}) {
      const leaf = key === 'rsa' ? await generateRsa() : await generate()
      serial++
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serial.toString(16).padStart(2, '0'),
        subject: new x509.Name(subject.map(([type, value]) => ({ [type]: [{ utf8String: value }] }))),
        issuer: own.subjectName,
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        ...dates(from, to),
        extensions: [
          ...(usage === 'none' ? [] : [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[usage]])]),
          ...(addresses.length + names.length === 0
            ? []
            : [
                new x509.SubjectAlternativeNameExtension([
                  ...addresses.map((value) => ({ type: 'ip' as const, value })),
                  ...names.map((value) => ({ type: 'dns' as const, value })),
                ]),
              ]),
        ],
      })
      return { certificate: `${certificate.toString('pem')}\n`, key: await keyPem(leaf) }
    },
  }
}
