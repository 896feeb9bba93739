/** What a deployment binds and sets, as wrangler.toml and the launcher give it to the Worker and its Durable Objects. */
import type { ObjectBindings } from '../clusters/objects.ts'

export interface Environment extends ObjectBindings {
  /** The bearer token of the administrator, or `sha256:` and its hash; a secret of the deployment. */
  readonly ADMIN_TOKEN?: string
  /** Further bearer tokens, as auth/static-tokens.ts reads them; a secret of the deployment. */
  readonly STATIC_TOKENS?: string
  /** An AuthenticationConfiguration as JSON: issuers of OpenID Connect tokens, and who may be anonymous. */
  readonly AUTHENTICATION_CONFIGURATION?: string
  /** `cloudflare`: certificates of clients are believed as Cloudflare has verified them. */
  readonly CLIENT_CERTIFICATES?: string
  /** Who issues the tokens of ServiceAccounts: a URL. */
  readonly SERVICE_ACCOUNT_ISSUER?: string
  /** By which clients trust the server, PEM: every namespace gets it. */
  readonly ROOT_CERTIFICATE?: string
  /** History is kept for at least so many seconds … */
  readonly HISTORY_SECONDS?: string
  /** … and at least so many events. */
  readonly HISTORY_EVENTS?: string
  /** From which Services get their addresses. */
  readonly SERVICE_CIDR?: string
  /** `host:port` at which clients reach the server. */
  readonly SERVER_ADDRESS?: string
}

const defaultHistory = { historySeconds: 300, historyEvents: 1000 }

function positive(text: string | undefined, otherwise: number): number {
  const value = Number(text)
  return Number.isSafeInteger(value) && value > 0 ? value : otherwise
}

/** How long history is kept. */
export function historyOf(environment: Environment): { readonly historySeconds: number; readonly historyEvents: number } {
  return {
    historySeconds: positive(environment.HISTORY_SECONDS, defaultHistory.historySeconds),
    historyEvents: positive(environment.HISTORY_EVENTS, defaultHistory.historyEvents),
  }
}

/** The address range of Services. */
export const serviceCidrOf = (environment: Environment): string => environment.SERVICE_CIDR || '10.0.0.0/16'

/** Who issues the tokens of ServiceAccounts, and for whom they are meant where nobody is named. */
export const serviceAccountIssuerOf = (environment: Environment): string =>
  environment.SERVICE_ACCOUNT_ISSUER || 'https://kubernetes.default.svc.cluster.local'
