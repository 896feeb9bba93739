/** Settings of a deployment that have their own syntax. They are parsed once, when the Worker is loaded. */

import { type AuthorizerConfiguration, readAuthorizationConfiguration } from '../auth/authorization-configuration.ts'
import type { AuthorizerStep } from '../auth/authorizer.ts'
import type { FetchOf } from '../auth/ca-fetch.ts'
import { type AuthenticationConfiguration, readAuthenticationConfiguration } from '../auth/configuration.ts'
import { StaticTokens } from '../auth/static-tokens.ts'
import { type AuditWebhookConfiguration, readAuditWebhook } from '../auth/webhook/audit-webhook.ts'
import { WebhookAuthorizer } from '../auth/webhook/authorizer.ts'
import { readImagePolicyEndpoint, readWebhookCredentials } from '../auth/webhook/server-credentials.ts'
import { readWebhookTokens, type WebhookTokensConfiguration } from '../auth/webhook/tokens.ts'
import type { ResourceConfig } from '../catalog/resource-config.ts'
import { checkPlace } from '../clusters/object-place.ts'
import { type AdmissionSettings, type AdmissionTexts, readAdmissionSettings } from '../config/admission/settings.ts'
import { readClusterEgress } from '../config/cluster-egress.ts'
import { readClusterOwnerLimits } from '../config/cluster-owner-limits.ts'
import { enabledControllers } from '../config/controllers.ts'
import { type EmulationTexts, readEmulation } from '../config/emulation.ts'
import { placementSettingOf } from '../config/environment.ts'
import type { AuditWebhookTexts } from '../config/flags.ts'
import { readGracePeriod } from '../config/grace-period.ts'
import { type MetricsOptions, type MetricsTexts, readMetricsOptions } from '../config/metrics-options.ts'
import { defaultCacheMebibytes } from '../meta/memory-budget.ts'
import type { Rate } from '../meta/token-buckets.ts'
import type { AuditPolicy } from './audit/policy.ts'
import { readAuditPolicy } from './audit/read-policy.ts'
import { AuditWebhookClient } from './audit/webhook-client.ts'
import { type AllowedOrigins, readAllowedOrigins } from './filters/cors.ts'

/** The unparsed settings. docs/configuration.md describes them. */
export interface SettingTexts extends AdmissionTexts, AuditWebhookTexts, EmulationTexts, MetricsTexts {
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
  readonly PLACEMENT?: string
  readonly LOCATION?: string
  readonly JURISDICTION?: string
  readonly POLICY_SECONDS?: string
  readonly POLICY_STALE_SECONDS?: string
  readonly TESTING?: string
  readonly CLUSTER_EGRESS?: string
  readonly CLUSTER_OWNER_LIMITS?: string
  readonly CLUSTER_FINALIZER_SECONDS?: string
  readonly PUBLIC_PAGE?: string
  readonly CACHE_MEGABYTES?: string
  readonly GARBAGE_MEGABYTES?: string
  readonly LIVEZ_GRACE_PERIOD?: string
}

/** The parsed settings. */
export interface Settings {
  readonly authentication: AuthenticationConfiguration
  readonly statics: StaticTokens
  /** Undefined if no authentication webhook is configured. */
  readonly webhookTokens: WebhookTokensConfiguration | undefined
  readonly clientCertificates: 'ignored' | 'taken'
  /** The authorizers, in the order in which they are called. */
  readonly authorizers: readonly AuthorizerStep[]
  /** Returns the fetch function for a certificate authority. */
  readonly fetchOf: FetchOf
  readonly admission: AdmissionSettings
  /** Undefined if there is no audit policy. */
  readonly auditPolicy: AuditPolicy | undefined
  /** Undefined if there is no audit webhook. */
  readonly auditWebhook: AuditWebhook | undefined
  readonly metrics: MetricsOptions
  /** The resources that the default cluster serves. */
  readonly resources: ResourceConfig
  /** The milliseconds after the start of an isolate for which /livez succeeds in any case. */
  readonly livezGracePeriod: number
  /** Undefined if requests are not limited. */
  readonly userRate: Rate | undefined
  readonly addressRate: Rate | undefined
  /** Undefined if no other origin may read responses. */
  readonly allowedOrigins: AllowedOrigins | undefined
  /** The directives of the header, separated by commas; '' for no header. */
  readonly strictTransportSecurity: string
  /** The maximum age of permissions, checked tokens and the admission configuration, in seconds. */
  readonly policySeconds: number
  /** The seconds for which outdated rules are used while the control object does not answer. */
  readonly policyStaleSeconds: number
  /** Whether browsers get a page at /. */
  readonly publicPage: boolean
  /** Whether tests may control clocks, faults and clusters. */
  readonly testing: boolean
  /** The memory of all caches of an isolate, in MiB. */
  readonly cacheMegabytes: number
  /** MiB of long texts after which garbage is collected; 0: never. */
  readonly garbageMegabytes: number
}

/** Parses `RATE` or `RATE:BURST`, in requests per second. */
function readRate(name: string, text: string): Rate | undefined {
  if (text === '') return undefined
  const [, perSecond = '', burst] = /^(\d+(?:\.\d+)?)(?::(\d+))?$/.exec(text) ?? []
  const rate = { perSecond: Number(perSecond), burst: Number(burst ?? Math.ceil(Number(perSecond) * 2)) }
  if (rate.perSecond > 0 && rate.burst >= 1) return rate
  throw new Error(`${name}: a rate is REQUESTS_PER_SECOND or REQUESTS_PER_SECOND:BURST, not ${JSON.stringify(text)}`)
}

/** Settings that are numbers. */
const numbers = {
  POLICY_SECONDS: { unit: 'seconds', from: 1, to: 10, otherwise: 1 },
  POLICY_STALE_SECONDS: { unit: 'seconds', from: 0, to: 3600, otherwise: 0 },
  CACHE_MEGABYTES: { unit: 'megabytes', from: 4, to: 4096, otherwise: defaultCacheMebibytes },
  GARBAGE_MEGABYTES: { unit: 'megabytes', from: 0, to: 4096, otherwise: 0 },
  CLUSTER_FINALIZER_SECONDS: { unit: 'seconds', from: 1, to: 2_592_000, otherwise: 3600 },
} as const

function readNumber(texts: SettingTexts, name: keyof typeof numbers): number {
  const { unit, from, to, otherwise } = numbers[name]
  const { [name]: text = String(otherwise) } = texts
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= from && value <= to) return value
  throw new Error(`${name}: must be a number of ${unit} from ${from} to ${to}, not ${JSON.stringify(text)}`)
}

/** Reads a setting that is `enabled` or absent. */
function readSwitch(name: string, text: string): boolean {
  if (text === '' || text === 'enabled') return text === 'enabled'
  throw new Error(`${name}: must be enabled or absent, not ${JSON.stringify(text)}`)
}

/** The proxies that may terminate TLS and pass on the client's certificate. */
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

/** An audit webhook and its client. */
export interface AuditWebhook {
  readonly configuration: AuditWebhookConfiguration
  readonly client: AuditWebhookClient
}

function readWebhook(texts: SettingTexts, fetchOf: FetchOf): AuditWebhook | undefined {
  const configuration = readAuditWebhook(texts)
  return configuration && { configuration, client: new AuditWebhookClient(configuration, fetchOf) }
}

/** Reads the settings of admission, and the kubeconfigs in them. */
function readAdmission(texts: SettingTexts, fetchOf: FetchOf): AdmissionSettings {
  const admission = readAdmissionSettings(texts)
  const { imagePolicy, mutatingWebhooks, validatingWebhooks } = admission
  for (const kubeconfig of [mutatingWebhooks, validatingWebhooks]) readWebhookCredentials(kubeconfig)
  if (imagePolicy !== undefined) fetchOf(readImagePolicyEndpoint(imagePolicy).certificateAuthority)
  return admission
}

/**
 * Parses all settings. A deployment with an invalid setting must not start: it could admit requests, or fail to record them,
 * against the operator's intention.
 * @param fetchOf throws Error for certificate authorities that cannot be used in this deployment
 * @throws Error that names the invalid setting
 */
export function readSettings(texts: SettingTexts, fetchOf: FetchOf): Settings {
  const { AUTHORIZATION_CONFIGURATION = '' } = texts
  const authorizers: readonly AuthorizerConfiguration[] =
    AUTHORIZATION_CONFIGURATION === '' ? ['RBAC'] : readAuthorizationConfiguration(AUTHORIZATION_CONFIGURATION)
  const { AUDIT_POLICY = '', USER_RATE = '', ADDRESS_RATE = '' } = texts
  const { CORS_ALLOWED_ORIGINS = '', STRICT_TRANSPORT_SECURITY = '' } = texts
  // The Durable Objects parse these settings too. Parsing them here makes an invalid one fail when the Worker is loaded.
  enabledControllers(texts.CONTROLLERS ?? '')
  checkPlace(texts)
  readClusterEgress(texts.CLUSTER_EGRESS ?? '')
  readClusterOwnerLimits(texts.CLUSTER_OWNER_LIMITS ?? '')
  readNumber(texts, 'CLUSTER_FINALIZER_SECONDS')
  placementSettingOf(texts)
  return {
    ...readAuthentication(texts, fetchOf),
    authorizers: authorizers.map((one) => (one === 'RBAC' ? one : new WebhookAuthorizer(one, fetchOf))),
    fetchOf,
    admission: readAdmission(texts, fetchOf),
    auditPolicy: AUDIT_POLICY === '' ? undefined : readAuditPolicy(AUDIT_POLICY),
    auditWebhook: readWebhook(texts, fetchOf),
    metrics: readMetricsOptions(texts),
    resources: readEmulation(texts),
    livezGracePeriod: readGracePeriod(texts.LIVEZ_GRACE_PERIOD ?? ''),
    userRate: readRate('USER_RATE', USER_RATE),
    addressRate: readRate('ADDRESS_RATE', ADDRESS_RATE),
    allowedOrigins: readAllowedOrigins(CORS_ALLOWED_ORIGINS),
    strictTransportSecurity: STRICT_TRANSPORT_SECURITY,
    publicPage: readSwitch('PUBLIC_PAGE', texts.PUBLIC_PAGE ?? ''),
    testing: readSwitch('TESTING', texts.TESTING ?? ''),
    policySeconds: readNumber(texts, 'POLICY_SECONDS'),
    policyStaleSeconds: readNumber(texts, 'POLICY_STALE_SECONDS'),
    cacheMegabytes: readNumber(texts, 'CACHE_MEGABYTES'),
    garbageMegabytes: readNumber(texts, 'GARBAGE_MEGABYTES'),
  }
}
