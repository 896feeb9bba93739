/** The configurations of the other admission plugins, which an AdmissionConfiguration contains. */

import type { Toleration } from '../../catalog/generated/types/core.v1.ts'
import { Errors } from '../../catalog/validation/checks.ts'
import { checkTolerations } from '../../catalog/validation/pod/scheduling.ts'
import { formatDuration } from '../../go/duration.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { aggregate, type FieldError, invalidValue, notSupported, required } from '../../meta/field-error.ts'
import { type DocumentType, readDocument, readShape } from './read-document.ts'

/** A resource that may only be consumed if a ResourceQuota limits it. Follows resourcequota's LimitedResource. */
export interface LimitedResource {
  readonly apiGroup: string
  readonly resource: string
  readonly matchContains: readonly string[]
  readonly matchScopes: readonly {
    readonly scopeName: string
    readonly operator: string
    readonly values: readonly string[]
  }[]
}

/** A token bucket of the plugin EventRateLimit. */
export interface EventRateLimit {
  readonly type: 'Server' | 'Namespace' | 'User' | 'SourceAndObject'
  readonly qps: number
  readonly burst: number
  /** The number of buckets that are kept. */
  readonly cacheSize: number
}

/** The configuration of the plugin ImagePolicyWebhook; times in milliseconds. */
export interface ImagePolicyConfiguration {
  /** The backend's kubeconfig, without references to files. */
  readonly kubeConfig: JsonObject
  /** 0: positive responses are not cached. */
  readonly allowTtl: number
  readonly denyTtl: number
  readonly retryBackoff: number
  /** Whether Pods are allowed if the backend fails. */
  readonly defaultAllow: boolean
}

/** Default tolerations and the tolerations that are allowed; undefined if the document does not have them. */
export interface PodTolerationConfiguration {
  readonly default: readonly Toleration[] | undefined
  readonly whitelist: readonly Toleration[] | undefined
}

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null }

function requireNoErrors(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new Error(aggregate(errors))
}

const quotaKinds = {
  'apiserver.config.k8s.io/v1': 'ResourceQuotaConfiguration',
  'resourcequota.admission.k8s.io/v1beta1': 'Configuration',
  'resourcequota.admission.k8s.io/v1alpha1': 'Configuration',
}

/** Reads the configuration of ResourceQuota. @throws Error in kube-apiserver's words */
export function readLimitedResources(document: JsonValue): readonly LimitedResource[] {
  const types: DocumentType = { kinds: quotaKinds, schema: 'resourceQuota' }
  const { limitedResources } = readDocument<{ limitedResources?: readonly Nullable<LimitedResource>[] | null }>(document, types)
  const limited = (limitedResources ?? []).map(({ apiGroup, resource, matchContains, matchScopes }) => ({
    apiGroup: apiGroup ?? '',
    resource: resource ?? '',
    matchContains: matchContains ?? [],
    matchScopes: (matchScopes ?? []).map(({ scopeName, operator, values }: Nullable<LimitedResource['matchScopes'][number]>) => ({
      scopeName: scopeName ?? '',
      operator: operator ?? '',
      values: values ?? [],
    })),
  }))
  requireNoErrors(
    limited.flatMap(({ resource }, index) => (resource === '' ? [required(`limitedResources[${index}].resource`)] : [])),
  )
  return limited
}

/** Reads a WebhookAdmissionConfiguration: the credentials with which webhooks are called, a kubeconfig. @throws Error */
export function readWebhookAdmission(document: JsonValue): JsonObject | undefined {
  const types: DocumentType = {
    kinds: { 'apiserver.config.k8s.io/v1': 'WebhookAdmissionConfiguration' },
    schema: 'webhookAdmission',
  }
  const raw = readDocument<{ kubeConfigFile?: string; kubeConfig?: JsonObject; staticManifestsDir?: string }>(document, types)
  const { kubeConfigFile = '', kubeConfig, staticManifestsDir = '' } = raw
  if (staticManifestsDir !== '') {
    const gate = 'staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled'
    throw new Error(`staticManifestsDir: Forbidden: ${gate}`)
  }
  // The launcher replaces the file name by the content: a Worker reads no files.
  if (kubeConfigFile !== '') throw new Error('kubeConfigFile: the kubeconfig must be given as kubeConfig')
  return kubeConfig
}

const limitTypes: readonly string[] = ['Server', 'Namespace', 'User', 'SourceAndObject']
const defaultCacheSize = 4096

function limitErrors({ type, qps, burst, cacheSize }: EventRateLimit, field: string): FieldError[] {
  return [
    ...(limitTypes.includes(type) ? [] : [notSupported(`${field}.type`, type, limitTypes)]),
    ...(burst > 0 ? [] : [invalidValue(`${field}.burst`, burst, 'must be positive')]),
    ...(qps > 0 ? [] : [invalidValue(`${field}.qps`, qps, 'must be positive')]),
    ...(type === 'Server' || cacheSize >= 0 ? [] : [invalidValue(`${field}.cacheSize`, cacheSize, 'must not be negative')]),
  ]
}

/** Reads the configuration of EventRateLimit. @param document undefined without one @throws Error in kube-apiserver's words */
export function readEventRateLimits(document: JsonValue | undefined): readonly EventRateLimit[] {
  const types: DocumentType = { kinds: { 'eventratelimit.admission.k8s.io/v1alpha1': 'Configuration' }, schema: 'eventRateLimit' }
  type Raw = { limits?: readonly Nullable<EventRateLimit>[] | null }
  const { limits } = document === undefined ? { limits: null } : readDocument<Raw>(document, types)
  const read = (limits ?? []).map(({ type, qps, burst, cacheSize }) => ({
    // requireNoErrors checks the type below.
    type: (type ?? '') as EventRateLimit['type'],
    qps: qps ?? 0,
    burst: burst ?? 0,
    cacheSize: cacheSize || defaultCacheSize,
  }))
  requireNoErrors([
    ...(read.length > 0 ? [] : [invalidValue('limits', limits ?? null, 'must not be empty')]),
    ...read.flatMap((limit, index) => limitErrors(limit, `limits[${index}]`)),
  ])
  return read
}

const second = 1000
const minute = 60 * second
const toNanoseconds = 1_000_000n

/**
 * Returns a time of the image policy in milliseconds: -1 switches it off, 0 stands for the default.
 * @param range of valid values in milliseconds
 * @throws Error in kube-apiserver's words
 */
function timeOf(value: number, scale: number, otherwise: number, range: readonly [number, number]): number {
  if (value === -1) return 0
  if (value === 0) return otherwise
  const time = value * scale
  const [least, most] = range
  if (time >= least && time <= most) return time
  const text = (milliseconds: number): string => formatDuration(BigInt(Math.round(milliseconds)) * toNanoseconds)
  const low = least === 0 ? formatDuration(1n) : text(least)
  throw new Error(`valid value is between ${low} and ${text(most)}, got ${text(time)}`)
}

/** Reads the configuration of ImagePolicyWebhook. @param document undefined without one @throws Error in kube-apiserver's words */
export function readImagePolicy(document: JsonValue | undefined): ImagePolicyConfiguration {
  if (document === undefined) throw new Error('no config specified')
  interface Raw {
    readonly allowTTL?: number
    readonly denyTTL?: number
    readonly retryBackoff?: number
    readonly defaultAllow?: boolean
    readonly kubeConfig?: JsonObject
  }
  const { imagePolicy } = readShape<{ imagePolicy?: Raw | null }>(document, 'imagePolicy')
  const { allowTTL = 0, denyTTL = 0, retryBackoff = 0, defaultAllow = false, kubeConfig } = imagePolicy ?? {}
  const times = {
    retryBackoff: timeOf(retryBackoff, 1, second / 2, [0, 5 * minute]),
    allowTtl: timeOf(allowTTL, second, 5 * minute, [second, 30 * minute]),
    denyTtl: timeOf(denyTTL, second, 30 * second, [second, 30 * minute]),
  }
  if (kubeConfig === undefined) throw new Error('imagePolicy.kubeConfig is required')
  return { ...times, kubeConfig, defaultAllow }
}

/** Reads the configuration of PodNodeSelector: label selectors by namespace, and `clusterDefaultNodeSelector`. @throws Error */
export function readNodeSelectors(document: JsonValue): Readonly<Record<string, string>> {
  type Raw = { podNodeSelectorPluginConfig?: Readonly<Record<string, string>> | null }
  return readShape<Raw>(document, 'podNodeSelector').podNodeSelectorPluginConfig ?? {}
}

/** Reads the configuration of PodTolerationRestriction. @throws Error in kube-apiserver's words */
export function readPodTolerations(document: JsonValue): PodTolerationConfiguration {
  const types: DocumentType = {
    kinds: { 'podtolerationrestriction.admission.k8s.io/v1alpha1': 'Configuration' },
    schema: 'podTolerationRestriction',
  }
  const raw = readDocument<Nullable<PodTolerationConfiguration>>(document, types)
  const errors = new Errors()
  checkTolerations(raw.default ?? [], 'podtolerationrestriction.default', errors)
  checkTolerations(raw.whitelist ?? [], 'podtolerationrestriction.whitelist', errors)
  const texts = errors.map(({ field, text }) => `${field}: ${text}`)
  if (texts.length > 0) throw new Error(`invalid config: [${texts.join(' ')}]`)
  return { default: raw.default ?? undefined, whitelist: raw.whitelist ?? undefined }
}
