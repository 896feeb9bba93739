/**
 * Servers whose certificates are issued by an authority of their own. A Worker cannot say whom it trusts: the launcher gives it
 * a way out for each authority, by a name that follows from the certificate.
 */
import { createHash } from 'node:crypto'
import { wrong } from '../config/document.ts'

/** What is fetched from others. The runtime's own, or a test's. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * How servers of an authority are asked; undefined: one that everybody trusts.
 * @throws Error where there is no way to those
 */
export type FetchOf = (certificateAuthority: string | undefined) => Fetch

/** The certificates of a text, each as PEM. */
export function certificatesIn(text: string): string[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return blocks.map((block) => `${block}\n`)
}

/** Certificates of a field, PEM. */
export function pemAt(value: unknown, path: string): string {
  const certificates = typeof value === 'string' ? certificatesIn(value) : []
  if (certificates.length === 0) throw wrong(path, 'holds no PEM certificate')
  return certificates.join('')
}

/** The binding through which servers of an authority are reached. */
export const authorityBinding = (pem: string): string =>
  `AUTHORITY_${createHash('sha256').update(pem).digest('hex').slice(0, 32).toUpperCase()}`

/**
 * How a server is asked whose certificate one of these authorities, PEM, has issued: through the first to which there is a way,
 * which trusts nobody else; else as one that everybody trusts.
 */
export function fetchTrusting(bindings: object, authorities: readonly string[]): Fetch {
  const of = fetchOf(bindings)
  const known = authorities.find((pem) => authorityBinding(pem) in bindings)
  return of(known)
}

/** The ways out that a deployment has. */
export function fetchOf(bindings: object): FetchOf {
  return (certificateAuthority) => {
    if (certificateAuthority === undefined) return (url, init) => fetch(url, init)
    const service = (bindings as Readonly<Record<string, Fetcher | undefined>>)[authorityBinding(certificateAuthority)]
    if (service !== undefined) return (url, init) => service.fetch(url, init)
    throw new Error('a certificate authority of its own is not supported here: only the local server can be told whom to trust')
  }
}
