/** How the API server of a cluster authenticates requests. */
import type { Authenticator } from '../auth/authenticator.ts'
import type { Anonymous } from '../auth/configuration.ts'

/** The authentication of a cluster. */
export interface Authentication {
  readonly tokens: Authenticator
  readonly anonymous: Anonymous
  /** Whether the runtime's information about the client's certificate is used. */
  readonly clientCertificates: 'ignored' | 'taken'
  /** Whether the token that Cloudflare Access adds is used if there is no other. It is verified like any token. */
  readonly accessAssertions: 'ignored' | 'taken'
}
