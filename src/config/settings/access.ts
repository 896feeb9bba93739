/** Authentication and authorization. */
import { duration } from './readers.ts'
import type { SettingTable } from './setting.ts'

/** The proxies that may terminate TLS and pass on the client's certificate. */
const certificateSources: ReadonlySet<string> = new Set(['cloudflare', 'launcher'])

function readClientCertificates(text: string): 'ignored' | 'taken' {
  if (text === '') return 'ignored'
  if (certificateSources.has(text)) return 'taken'
  throw new Error(`must be cloudflare, not ${JSON.stringify(text)}`)
}

export const accessSettings = {
  /** The administrator's bearer token, or `sha256:` and its hash. */
  adminToken: { variable: 'ADMIN_TOKEN', at: ['worker', 'object'], secret: true },
  authenticationConfiguration: {
    variable: 'AUTHENTICATION_CONFIGURATION',
    flag: 'authentication-config',
    value: 'FILE',
    help: ['issuers of OpenID Connect tokens, and who may be anonymous:', 'an AuthenticationConfiguration, YAML or JSON'],
    file: true,
    at: ['worker'],
    long: true,
  },
  /** In the format of auth/static-tokens.ts. */
  staticTokens: {
    variable: 'STATIC_TOKENS',
    flag: 'static-tokens',
    value: 'FILE',
    help: ['further bearer tokens and their holders (see docs/security.md)'],
    file: true,
    at: ['worker'],
    secret: true,
  },
  /** The kubeconfig of the webhook token authenticator. */
  authenticationTokenWebhook: {
    variable: 'AUTHENTICATION_TOKEN_WEBHOOK',
    flag: 'authentication-token-webhook-config-file',
    value: 'FILE',
    help: ['a webhook that knows further tokens: a kubeconfig'],
    file: true,
    at: ['worker'],
    secret: true,
  },
  authenticationTokenWebhookCacheTtl: {
    variable: 'AUTHENTICATION_TOKEN_WEBHOOK_CACHE_TTL',
    flag: 'authentication-token-webhook-cache-ttl',
    value: 'DURATION',
    help: ['how long its answers are repeated (default 2m)'],
    default: '2m0s',
    read: duration,
    at: ['worker'],
  },
  authorizationConfiguration: {
    variable: 'AUTHORIZATION_CONFIGURATION',
    flag: 'authorization-config',
    value: 'FILE',
    help: ['webhooks that decide beside roles and bindings: an AuthorizationConfiguration'],
    file: true,
    at: ['worker'],
    secret: true,
  },
  /** `cloudflare`: client certificates that Cloudflare has verified are trusted; `launcher`: those of the local server's proxy. */
  clientCertificates: { variable: 'CLIENT_CERTIFICATES', read: readClientCertificates, at: ['worker'] },
  /** The issuer of ServiceAccount tokens, which is also their default audience. */
  serviceAccountIssuer: {
    variable: 'SERVICE_ACCOUNT_ISSUER',
    default: 'https://kubernetes.default.svc.cluster.local',
    at: ['worker', 'object'],
  },
  /** In the format of auth/service-accounts/configured-keys.ts; without it the keys are generated. */
  serviceAccountKeys: { variable: 'SERVICE_ACCOUNT_KEYS', at: ['object'], secret: true },
} as const satisfies SettingTable
