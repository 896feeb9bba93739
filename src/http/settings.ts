/** Settings of a deployment that are texts with a form of their own: read once, when the Worker is loaded. */

import { readAuthorizationConfiguration } from '../auth/authorization-configuration.ts'
import type { AuthorizerStep } from '../auth/authorizer.ts'
import type { FetchOf } from '../auth/ca-fetch.ts'
import { type AuthenticationConfiguration, readAuthenticationConfiguration } from '../auth/configuration.ts'
import { StaticTokens } from '../auth/static-tokens.ts'
import { WebhookAuthorizer } from '../auth/webhook/authorizer.ts'
import { readWebhookTokens, type WebhookTokensConfiguration } from '../auth/webhook/tokens.ts'
import { enabledControllers } from '../config/controllers.ts'
import type { AuditPolicy } from './audit/policy.ts'
import { readAuditPolicy } from './audit/read-policy.ts'
import { type AllowedOrigins, readAllowedOrigins } from './filters/cors.ts'
import type { Rate } from './limits/token-buckets.ts'

/** The texts, as docs/configuration.md describes them. */
export interface SettingTexts {
  readonly ADMIN_TOKEN?: string
  readonly STATIC_TOKENS?: string
  readonly AUTHENTICATION_CONFIGURATION?: string
  readonly AUTHENTICATION_TOKEN_WEBHOOK?: string
  readonly AUTHENTICATION_TOKEN_WEBHOOK_CACHE_TTL?: string
  readonly AUTHORIZATION_CONFIGURATION?: string
  readonly CLIENT_CERTIFICATES?: string
  readonly AUDIT_POLICY?: string
  readonly USER_RATE?: string
  readonly ADDRESS_RATE?: string
  readonly CORS_ALLOWED_ORIGINS?: string
  readonly STRICT_TRANSPORT_SECURITY?: string
  readonly CONTROLLERS?: string
}

export interface Settings {
  readonly authentication: AuthenticationConfiguration
  readonly statics: StaticTokens
  /** Undefined where no webhook knows tokens. */
  readonly webhookTokens: WebhookTokensConfiguration | undefined
  readonly clientCertificates: 'ignored' | 'taken'
  /** Who decides whether requests may go on, in their order. */
  readonly authorizers: readonly AuthorizerStep[]
  /** How others are asked, by the authority of their certificates. */
  readonly fetchOf: FetchOf
  /** Undefined where nothing is recorded. */
  readonly auditPolicy: AuditPolicy | undefined
  /** Undefined where nothing is limited. */
  readonly userRate: Rate | undefined
  readonly addressRate: Rate | undefined
  /** Undefined if pages of no other origin may read responses. */
  readonly allowedOrigins: AllowedOrigins | undefined
  /** Directives separated by commas; '' for no header. */
  readonly strictTransportSecurity: string
}

/** `RATE` or `RATE:BURST`, in requests a second. */
function readRate(name: string, text: string): Rate | undefined {
  if (text === '') return undefined
  const [, perSecond = '', burst] = /^(\d+(?:\.\d+)?)(?::(\d+))?$/.exec(text) ?? []
  const rate = { perSecond: Number(perSecond), burst: Number(burst ?? Math.ceil(Number(perSecond) * 2)) }
  if (rate.perSecond > 0 && rate.burst >= 1) return rate
  throw new Error(`${name}: a rate is REQUESTS_PER_SECOND or REQUESTS_PER_SECOND:BURST, not ${JSON.stringify(text)}`)
}

/** Who ends TLS and says whose certificate a client has shown. */
const certificateSources: ReadonlySet<string> = new Set(['cloudflare', 'launcher'])

function readClientCertificates(text: string): Settings['clientCertificates'] {
  if (text === '') return 'ignored'
  if (certificateSources.has(text)) return 'taken'
  throw new Error(`CLIENT_CERTIFICATES: must be cloudflare, not ${JSON.stringify(text)}`)
}

function readAuthentication(texts: SettingTexts, fetchOf: FetchOf) {
  const { ADMIN_TOKEN = '', STATIC_TOKENS = '', AUTHENTICATION_CONFIGURATION = '', CLIENT_CERTIFICATES = '' } = texts
  const { AUTHENTICATION_TOKEN_WEBHOOK = '', AUTHENTICATION_TOKEN_WEBHOOK_CACHE_TTL = '' } = texts
  const authentication = readAuthenticationConfiguration(AUTHENTICATION_CONFIGURATION)
  const webhookTokens = readWebhookTokens(AUTHENTICATION_TOKEN_WEBHOOK, AUTHENTICATION_TOKEN_WEBHOOK_CACHE_TTL)
  const authorities = [...authentication.jwt.map((one) => one.certificateAuthority), webhookTokens?.endpoint.certificateAuthority]
  for (const authority of authorities) fetchOf(authority)
  return {
    authentication,
    statics: new StaticTokens(ADMIN_TOKEN, STATIC_TOKENS),
    webhookTokens,
    clientCertificates: readClientCertificates(CLIENT_CERTIFICATES),
  }
}

/**
 * Reads them all. A deployment that cannot be understood must not start: it would let in, or leave unrecorded, what its operator did not mean.
 * @param fetchOf throws Error for authorities that cannot be trusted in this deployment
 * @throws Error that tells what is wrong
 */
export function readSettings(texts: SettingTexts, fetchOf: FetchOf): Settings {
  const { AUTHORIZATION_CONFIGURATION = '' } = texts
  const authorizers = readAuthorizationConfiguration(AUTHORIZATION_CONFIGURATION)
  const { AUDIT_POLICY = '', USER_RATE = '', ADDRESS_RATE = '' } = texts
  const { CORS_ALLOWED_ORIGINS = '', STRICT_TRANSPORT_SECURITY = '' } = texts
  // The Durable Objects read it, too; here it is refused before one is asked.
  enabledControllers(texts.CONTROLLERS ?? '')
  return {
    ...readAuthentication(texts, fetchOf),
    authorizers: authorizers.map((one) => (one === 'RBAC' ? one : new WebhookAuthorizer(one, fetchOf))),
    fetchOf,
    auditPolicy: AUDIT_POLICY === '' ? undefined : readAuditPolicy(AUDIT_POLICY),
    userRate: readRate('USER_RATE', USER_RATE),
    addressRate: readRate('ADDRESS_RATE', ADDRESS_RATE),
    allowedOrigins: readAllowedOrigins(CORS_ALLOWED_ORIGINS),
    strictTransportSecurity: STRICT_TRANSPORT_SECURITY,
  }
}
