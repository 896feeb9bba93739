/** The settings of admission: the enabled plugins and their configurations. */
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { type SettingTexts, settingValues } from '../settings.ts'
import {
  type EventRateLimit,
  type ImagePolicyConfiguration,
  type LimitedResource,
  type PodTolerationConfiguration,
  readEventRateLimits,
  readImagePolicy,
  readLimitedResources,
  readNodeSelectors,
  readPodTolerations,
  readWebhookAdmission,
} from './documents.ts'
import { type AdmissionPluginName, enabledAdmissionPlugins } from './plugin-names.ts'
import { defaultPodSecurity, type PodSecurityConfiguration, readPodSecurity } from './pod-security.ts'
import { type DocumentType, InitializationError, readDocument } from './read-document.ts'

/** The configurations of plugins. */
export interface PluginConfigurations {
  readonly podSecurity: PodSecurityConfiguration
  /** The resources that need a ResourceQuota. */
  readonly limitedResources: readonly LimitedResource[]
  readonly eventRateLimits: readonly EventRateLimit[]
  /** Undefined if the plugin is disabled. */
  readonly imagePolicy: ImagePolicyConfiguration | undefined
  /** Label selectors by namespace, and `clusterDefaultNodeSelector`. */
  readonly nodeSelectors: Readonly<Record<string, string>>
  readonly tolerations: PodTolerationConfiguration
  /** The kubeconfig with the credentials for webhooks, by user name; undefined without credentials. */
  readonly mutatingWebhooks: JsonObject | undefined
  readonly validatingWebhooks: JsonObject | undefined
}

/** The settings of admission. */
export interface AdmissionSettings extends PluginConfigurations {
  /** The enabled plugins in the order in which they run. */
  readonly plugins: readonly AdmissionPluginName[]
  /** How long Pods tolerate a node that is not ready, or not reachable, in seconds. */
  readonly notReadyTolerationSeconds: number
  readonly unreachableTolerationSeconds: number
}

/** The settings as texts, by the names in docs/configuration.md. */
export type AdmissionTexts = Pick<
  SettingTexts,
  | 'ENABLE_ADMISSION_PLUGINS'
  | 'DISABLE_ADMISSION_PLUGINS'
  | 'ADMISSION_CONFIGURATION'
  | 'DEFAULT_NOT_READY_TOLERATION_SECONDS'
  | 'DEFAULT_UNREACHABLE_TOLERATION_SECONDS'
>

const defaultConfigurations: PluginConfigurations = {
  podSecurity: defaultPodSecurity,
  limitedResources: [],
  eventRateLimits: [],
  imagePolicy: undefined,
  nodeSelectors: {},
  tolerations: { default: undefined, whitelist: undefined },
  mutatingWebhooks: undefined,
  validatingWebhooks: undefined,
}

/** Reads the configuration of a plugin, undefined if it has none, and returns its part of the configurations. */
type Reader = (document: JsonValue | undefined) => Partial<PluginConfigurations>

const optional =
  <Field extends keyof PluginConfigurations>(field: Field, read: (document: JsonValue) => PluginConfigurations[Field]): Reader =>
  (document) =>
    document === undefined ? {} : { [field]: read(document) }

/** The plugins with a configuration. */
const readers: Partial<Readonly<Record<AdmissionPluginName, Reader>>> = {
  PodSecurity: optional('podSecurity', readPodSecurity),
  ResourceQuota: optional('limitedResources', readLimitedResources),
  EventRateLimit: (document) => ({ eventRateLimits: readEventRateLimits(document) }),
  ImagePolicyWebhook: (document) => ({ imagePolicy: readImagePolicy(document) }),
  PodNodeSelector: optional('nodeSelectors', readNodeSelectors),
  PodTolerationRestriction: optional('tolerations', readPodTolerations),
  MutatingAdmissionWebhook: optional('mutatingWebhooks', readWebhookAdmission),
  ValidatingAdmissionWebhook: optional('validatingWebhooks', readWebhookAdmission),
}

interface RawPlugin {
  readonly name?: string
  readonly path?: string
  readonly configuration?: JsonObject | null
}

const admissionDocument: DocumentType = {
  kinds: {
    'apiserver.config.k8s.io/v1': 'AdmissionConfiguration',
    'apiserver.k8s.io/v1alpha1': 'AdmissionConfiguration',
  },
  schema: 'admission',
}

/** Reads the AdmissionConfiguration. */
function readPlugins(json: string): readonly RawPlugin[] {
  if (json === '') return []
  try {
    return readDocument<{ plugins?: readonly RawPlugin[] | null }>(JSON.parse(json) as JsonValue, admissionDocument).plugins ?? []
  } catch (error) {
    throw new Error(`failed to apply admission: failed to read plugin config: ${messageOf(error)}`)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function readConfigurations(plugins: readonly AdmissionPluginName[], json: string): PluginConfigurations {
  const configured = readPlugins(json)
  let configurations = defaultConfigurations
  for (const name of plugins) {
    const read = readers[name]
    if (read === undefined) continue
    // As in kube-apiserver, the first entry of a name counts, and those of other plugins are not read.
    const { path = '', configuration } = configured.find((one) => one.name === name) ?? {}
    try {
      if (path !== '' && !isObject(configuration ?? undefined)) throw new Error('path: the file must be given as configuration')
      configurations = { ...configurations, ...read(configuration ?? undefined) }
    } catch (error) {
      const failure = error instanceof InitializationError ? 'failed to initialize' : "couldn't init"
      throw new Error(`failed to apply admission: ${failure} admission plugin "${name}": ${messageOf(error)}`)
    }
  }
  return configurations
}

const settingsOf = new WeakMap<AdmissionTexts, AdmissionSettings>()

/**
 * Reads the settings of admission. They are read once for the same environment.
 * @throws Error in kube-apiserver's words
 */
export function readAdmissionSettings(texts: AdmissionTexts): AdmissionSettings {
  const former = settingsOf.get(texts)
  if (former !== undefined) return former
  const values = settingValues(texts)
  const plugins = enabledAdmissionPlugins(values.enableAdmissionPlugins, values.disableAdmissionPlugins)
  const settings = {
    plugins,
    notReadyTolerationSeconds: values.defaultNotReadyTolerationSeconds,
    unreachableTolerationSeconds: values.defaultUnreachableTolerationSeconds,
    ...readConfigurations(plugins, values.admissionConfiguration),
  }
  settingsOf.set(texts, settings)
  return settings
}
