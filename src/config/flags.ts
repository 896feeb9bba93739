/** The settings that are options of `edgeplane start` too, by the names of the options. */

/** An option with its setting. */
export interface Flag {
  /** The name of the setting. */
  readonly setting: string
  /** The value without the setting, as /flagz shows it. */
  readonly default: string
}

/** The options that the Worker reads itself. */
export const flags = {
  'cors-allowed-origins': { setting: 'CORS_ALLOWED_ORIGINS', default: '' },
  'strict-transport-security-directives': { setting: 'STRICT_TRANSPORT_SECURITY', default: '' },
  placement: { setting: 'PLACEMENT', default: 'collections' },
  'cluster-domain': { setting: 'CLUSTER_DOMAIN', default: '' },
  'cluster-egress': { setting: 'CLUSTER_EGRESS', default: '' },
  'cluster-owner-limits': { setting: 'CLUSTER_OWNER_LIMITS', default: '' },
  'cluster-finalizer-seconds': { setting: 'CLUSTER_FINALIZER_SECONDS', default: '3600' },
  'public-page': { setting: 'PUBLIC_PAGE', default: '' },
  controllers: { setting: 'CONTROLLERS', default: '*' },
  'service-routes': { setting: 'SERVICE_ROUTES', default: '' },
  'requestheader-allowed-names': { setting: 'REQUESTHEADER_ALLOWED_NAMES', default: '' },
  'kubelet-preferred-address-types': {
    setting: 'KUBELET_PREFERRED_ADDRESS_TYPES',
    default: 'Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP',
  },
  'emulated-version': { setting: 'EMULATED_RELEASE', default: '' },
  'emulation-forward-compatible': { setting: 'EMULATION_FORWARD_COMPATIBLE', default: 'false' },
  'min-compatibility-version': { setting: 'MIN_COMPATIBILITY_VERSION', default: '' },
  'runtime-config-emulation-forward-compatible': {
    setting: 'RUNTIME_CONFIG_EMULATION_FORWARD_COMPATIBLE',
    default: 'false',
  },
  'runtime-config': { setting: 'RUNTIME_CONFIG', default: '' },
  'feature-gates': { setting: 'FEATURE_GATES', default: '' },
  'max-requests-inflight': { setting: 'MAX_REQUESTS_INFLIGHT', default: '600' },
  watches: { setting: 'WATCHES', default: 'sockets' },
  'user-rate': { setting: 'USER_RATE', default: '' },
  'address-rate': { setting: 'ADDRESS_RATE', default: '' },
  'cache-megabytes': { setting: 'CACHE_MEGABYTES', default: '32' },
  'authentication-token-webhook-cache-ttl': { setting: 'AUTHENTICATION_TOKEN_WEBHOOK_CACHE_TTL', default: '2m0s' },
  'enable-admission-plugins': { setting: 'ENABLE_ADMISSION_PLUGINS', default: '' },
  'disable-admission-plugins': { setting: 'DISABLE_ADMISSION_PLUGINS', default: '' },
  'default-not-ready-toleration-seconds': { setting: 'DEFAULT_NOT_READY_TOLERATION_SECONDS', default: '300' },
  'default-unreachable-toleration-seconds': { setting: 'DEFAULT_UNREACHABLE_TOLERATION_SECONDS', default: '300' },
  'show-hidden-metrics-for-version': { setting: 'SHOW_HIDDEN_METRICS_FOR_VERSION', default: '' },
  'livez-grace-period': { setting: 'LIVEZ_GRACE_PERIOD', default: '0s' },
  'audit-webhook-mode': { setting: 'AUDIT_WEBHOOK_MODE', default: 'batch' },
  'audit-webhook-batch-initial-backoff': { setting: 'AUDIT_WEBHOOK_INITIAL_BACKOFF', default: '10s' },
  'audit-webhook-initial-backoff': { setting: 'AUDIT_WEBHOOK_INITIAL_BACKOFF', default: '10s' },
  'audit-webhook-batch-buffer-size': { setting: 'AUDIT_WEBHOOK_BATCH_BUFFER_SIZE', default: '10000' },
  'audit-webhook-batch-max-size': { setting: 'AUDIT_WEBHOOK_BATCH_MAX_SIZE', default: '400' },
  'audit-webhook-batch-max-wait': { setting: 'AUDIT_WEBHOOK_BATCH_MAX_WAIT', default: '1s' },
  'audit-webhook-batch-throttle-enable': { setting: 'AUDIT_WEBHOOK_BATCH_THROTTLE_ENABLE', default: 'true' },
  'audit-webhook-batch-throttle-qps': { setting: 'AUDIT_WEBHOOK_BATCH_THROTTLE_QPS', default: '10' },
  'audit-webhook-batch-throttle-burst': { setting: 'AUDIT_WEBHOOK_BATCH_THROTTLE_BURST', default: '15' },
  'audit-webhook-truncate-enabled': { setting: 'AUDIT_WEBHOOK_TRUNCATE_ENABLED', default: 'false' },
  'audit-webhook-truncate-max-batch-size': { setting: 'AUDIT_WEBHOOK_TRUNCATE_MAX_BATCH_SIZE', default: '10485760' },
  'audit-webhook-truncate-max-event-size': { setting: 'AUDIT_WEBHOOK_TRUNCATE_MAX_EVENT_SIZE', default: '102400' },
  'disabled-metrics': { setting: 'DISABLED_METRICS', default: '' },
} as const satisfies Readonly<Record<string, Flag>>

/** The options of the audit webhook that are settings. */
export type AuditWebhookName = Extract<keyof typeof flags, `audit-webhook-${string}`>

/** The unparsed settings of the audit webhook: its kubeconfig as JSON, and those of its options. */
export type AuditWebhookTexts = { readonly AUDIT_WEBHOOK?: string } & {
  readonly [Name in (typeof flags)[AuditWebhookName]['setting']]?: string
}

/** Returns the values of all options, sorted by name. Settings that hold secrets are no options, and not among them. */
export function flagValues(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const values = Object.entries<Flag>(flags).map(([name, { setting, default: otherwise }]): [string, string] => {
    const value = settings[setting]
    return [name, typeof value === 'string' && value !== '' ? value : otherwise]
  })
  return Object.fromEntries(values.sort(([a], [b]) => (a < b ? -1 : 1)))
}
