/**
 * Servers whose certificates are issued by an authority of their own. A Worker cannot say whom it trusts: the launcher gives it
 * a way out for each authority, by a name that follows from the certificate.
 */
import { createHash } from 'node:crypto'
import { wrong } from './configuration-fields.ts'

/** What is fetched from others. The runtime's own, or a test's. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * How servers of an authority are asked; undefined: one that everybody trusts.
 * @throws Error where there is no way to those
 */
export type FetchOf = (certificateAuthority: string | undefined) => Fetch

/** Certificates of a field, PEM. */
export function pemAt(value: unknown, path: string): string {
  const blocks = typeof value === 'string' ? value.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) : null
  if (blocks === null) throw wrong(path, 'holds no PEM certificate')
  return `${blocks.join('\n')}\n`
}

/** The binding through which servers of an authority are reached. */
export const authorityBinding = (pem: string): string =>
  `AUTHORITY_${createHash('sha256').update(pem).digest('hex').slice(0, 32).toUpperCase()}`

/** The ways out that a deployment has. */
export function fetchOf(bindings: object): FetchOf {
  return (certificateAuthority) => {
    if (certificateAuthority === undefined) return (url, init) => fetch(url, init)
    const service = (bindings as Readonly<Record<string, Fetcher | undefined>>)[authorityBinding(certificateAuthority)]
    if (service !== undefined) return (url, init) => service.fetch(url, init)
    throw new Error('a certificate authority of its own is not supported here: only the local server can be told whom to trust')
  }
}
