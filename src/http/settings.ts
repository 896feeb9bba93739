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
import { type AdmissionSettings, readAdmissionSettings } from '../config/admission/settings.ts'
import { readEmulation } from '../config/emulation.ts'
import { type SettingTexts, settingValues, type WorkerSettingValues } from '../config/settings.ts'
import type { AuditPolicy } from './audit/policy.ts'
import { readAuditPolicy } from './audit/read-policy.ts'
import { AuditWebhookClient } from './audit/webhook-client.ts'
import { type AllowedOrigins, readAllowedOrigins } from './filters/cors.ts'

/** The settings of the Worker, with their documents parsed and the clients that follow from them. */
export interface Settings extends Omit<WorkerSettingValues, 'staticTokens' | 'auditPolicy' | 'auditWebhook'> {
  readonly authentication: AuthenticationConfiguration
  readonly staticTokens: StaticTokens
  /** Undefined if no authentication webhook is configured. */
  readonly webhookTokens: WebhookTokensConfiguration | undefined
  /** The authorizers, in the order in which they are called. */
  readonly authorizers: readonly AuthorizerStep[]
  /** Returns the fetch function for a certificate authority. */
  readonly fetchOf: FetchOf
  readonly admission: AdmissionSettings
  /** Undefined if there is no audit policy. */
  readonly auditPolicy: AuditPolicy | undefined
  /** Undefined if there is no audit webhook. */
  readonly auditWebhook: AuditWebhook | undefined
  /** The resources that the default cluster serves. */
  readonly resources: ResourceConfig
  /** Undefined if no other origin may read responses. */
  readonly allowedOrigins: AllowedOrigins | undefined
}

function readAuthentication(values: WorkerSettingValues, fetchOf: FetchOf) {
  const authentication = readAuthenticationConfiguration(values.authenticationConfiguration)
  const webhookTokens = readWebhookTokens(values.authenticationTokenWebhook, values.authenticationTokenWebhookCacheTtl)
  const authorities = [...authentication.jwt.map((one) => one.certificateAuthority), webhookTokens?.endpoint.certificateAuthority]
  for (const authority of authorities) fetchOf(authority)
  return { authentication, staticTokens: new StaticTokens(values.adminToken, values.staticTokens), webhookTokens }
}

/** An audit webhook and its client. */
export interface AuditWebhook {
  readonly configuration: AuditWebhookConfiguration
  readonly client: AuditWebhookClient
}

function readWebhook(values: WorkerSettingValues, fetchOf: FetchOf): AuditWebhook | undefined {
  const configuration = readAuditWebhook(values)
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
  const values: WorkerSettingValues = settingValues(texts)
  const { authorizationConfiguration, auditPolicy } = values
  const authorizers: readonly AuthorizerConfiguration[] =
    authorizationConfiguration === '' ? ['RBAC'] : readAuthorizationConfiguration(authorizationConfiguration)
  return {
    ...values,
    ...readAuthentication(values, fetchOf),
    authorizers: authorizers.map((one) => (one === 'RBAC' ? one : new WebhookAuthorizer(one, fetchOf))),
    fetchOf,
    admission: readAdmission(texts, fetchOf),
    auditPolicy: auditPolicy === '' ? undefined : readAuditPolicy(auditPolicy),
    auditWebhook: readWebhook(values, fetchOf),
    resources: readEmulation(texts),
    allowedOrigins: readAllowedOrigins(values.corsAllowedOrigins),
  }
}
