/**
 * Requests to servers whose certificates a private CA has issued. A Worker cannot choose its trusted CAs: the launcher gives it
 * one service binding for each CA, named by a hash of the certificate.
 */
import { createHash } from 'node:crypto'
import { configurationError } from '../config/document.ts'
import { certificatesIn } from '../net/certificates.ts'

/** The signature of `fetch`: the runtime's, a service binding's, or a test's. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Returns the fetch that trusts a CA (PEM); undefined stands for the public trust store.
 * @throws Error if no binding exists for the CA
 */
export type FetchOf = (certificateAuthority: string | undefined) => Fetch

/** Returns the certificates of a configuration field, as PEM. */
export function pemAt(value: unknown, path: string): string {
  const certificates = typeof value === 'string' ? certificatesIn(value) : []
  if (certificates.length === 0) throw configurationError(path, 'holds no PEM certificate')
  return certificates.join('')
}

/** Returns the name of the binding through which servers of a CA are reached. */
export const authorityBinding = (pem: string): string =>
  `AUTHORITY_${createHash('sha256').update(pem).digest('hex').slice(0, 32).toUpperCase()}`

/** Returns the fetches that the bindings of a deployment allow. */
export function fetchOf(bindings: object): FetchOf {
  return (certificateAuthority) => {
    if (certificateAuthority === undefined) return (url, init) => fetch(url, init)
    const service = (bindings as Readonly<Record<string, Fetcher | undefined>>)[authorityBinding(certificateAuthority)]
    if (service !== undefined) return (url, init) => service.fetch(url, init)
    throw new Error('a certificate authority of its own is not supported here: only the local server can be told whom to trust')
  }
}
