import { expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import { type AdmissionSettings, type AdmissionTexts, readAdmissionSettings } from './settings.ts'

/** Reads the configuration of one plugin. */
function configured(name: string, configuration: JsonObject | undefined, texts: AdmissionTexts = {}): AdmissionSettings {
  const plugins = configuration === undefined ? [] : [{ name, configuration }]
  const document = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }
  return readAdmissionSettings({ ...texts, ADMISSION_CONFIGURATION: JSON.stringify(document) })
}

const podSecurity = (fields: JsonObject): JsonObject => ({
  apiVersion: 'pod-security.admission.config.k8s.io/v1',
  kind: 'PodSecurityConfiguration',
  ...fields,
})

test('--enable-admission-plugins and --disable-admission-plugins change the default plugins and keep their order', () => {
  const { plugins } = readAdmissionSettings({
    ENABLE_ADMISSION_PLUGINS: 'AlwaysPullImages,NamespaceExists',
    DISABLE_ADMISSION_PLUGINS: 'ServiceAccount,NodeRestriction',
  })
  expect(plugins.slice(0, 5)).toEqual([
    'NamespaceLifecycle',
    'NamespaceExists',
    'LimitRanger',
    'TaintNodesByCondition',
    'AlwaysPullImages',
  ])
  expect(readAdmissionSettings({}).plugins.length).toBe(27)
})

test('unknown admission plugins and plugins in both lists are errors in the words of kube-apiserver', () => {
  expect(() =>
    readAdmissionSettings({
      ENABLE_ADMISSION_PLUGINS: 'Foo,EventRateLimit',
      DISABLE_ADMISSION_PLUGINS: 'EventRateLimit,Baz',
    }),
  ).toThrow(
    '[enable-admission-plugins plugin "Foo" is unknown, disable-admission-plugins plugin "Baz" is unknown, [EventRateLimit] in enable-admission-plugins and disable-admission-plugins overlapped]',
  )
})

test('PodSecurityConfiguration: defaults and exemptions', () => {
  const { defaults, exemptions } = configured(
    'PodSecurity',
    podSecurity({ defaults: { enforce: 'baseline', 'warn-version': 'v1.30' }, exemptions: { namespaces: ['kube-system'] } }),
  ).podSecurity
  expect(defaults).toEqual({
    enforce: { level: 'baseline', version: 'latest' },
    audit: { level: 'privileged', version: 'latest' },
    warn: { level: 'privileged', version: 'v1.30' },
  })
  expect(exemptions).toEqual({ namespaces: ['kube-system'], usernames: [], runtimeClasses: [] })
})

/** Documents that kube-apiserver rejects at its start, with its error after "failed to apply admission: ". */
const rejected: readonly (readonly [string, JsonObject | undefined, string])[] = [
  [
    'PodSecurity',
    podSecurity({ defaults: { enforce: 'bad', 'enforce-version': 'x' } }),
    'failed to initialize admission plugin "PodSecurity": PodSecurity configuration error: [enforce: must be one of privileged, baseline, restricted, enforce-version: must be "latest" or "v1.x"]',
  ],
  [
    'PodSecurity',
    podSecurity({ exemptions: { namespaces: ['b', 'b'], usernames: [''] } }),
    'failed to initialize admission plugin "PodSecurity": PodSecurity invalid: [exemptions.namespaces[1]: Duplicate value: "b", exemptions.usernames[0]: Invalid value: "": username must not be empty]',
  ],
  [
    'PodSecurity',
    podSecurity({ apiVersion: 'pod-security.admission.config.k8s.io/v2' }),
    'couldn\'t init admission plugin "PodSecurity": no kind "PodSecurityConfiguration" is registered for version "pod-security.admission.config.k8s.io/v2"',
  ],
  [
    'ResourceQuota',
    { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration', limitedResources: [{ resource: '' }] },
    'couldn\'t init admission plugin "ResourceQuota": limitedResources[0].resource: Required value',
  ],
  [
    'ResourceQuota',
    {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'ResourceQuotaConfiguration',
      limitedResources: [{ resource: 'a', foo: 1 }],
    },
    'couldn\'t init admission plugin "ResourceQuota": strict decoding error: unknown field "limitedResources[0].foo"',
  ],
  [
    'ValidatingAdmissionWebhook',
    { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration', staticManifestsDir: '/tmp' },
    'couldn\'t init admission plugin "ValidatingAdmissionWebhook": staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled',
  ],
  [
    'EventRateLimit',
    undefined,
    'couldn\'t init admission plugin "EventRateLimit": limits: Invalid value: null: must not be empty',
  ],
  [
    'EventRateLimit',
    {
      apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
      kind: 'Configuration',
      limits: [{ type: 'X', qps: 0, burst: 0, cacheSize: -1 }],
    },
    'couldn\'t init admission plugin "EventRateLimit": [limits[0].type: Unsupported value: "X": supported values: "Server", "Namespace", "User", "SourceAndObject", limits[0].burst: Invalid value: 0: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[0].cacheSize: Invalid value: -1: must not be negative]',
  ],
  ['ImagePolicyWebhook', undefined, 'couldn\'t init admission plugin "ImagePolicyWebhook": no config specified'],
  [
    'ImagePolicyWebhook',
    { imagePolicy: { allowTTL: 3000 } },
    'couldn\'t init admission plugin "ImagePolicyWebhook": valid value is between 1s and 30m0s, got 50m0s',
  ],
  [
    'PodTolerationRestriction',
    {
      apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
      kind: 'Configuration',
      default: [{ key: 'a', operator: 'Foo' }, { operator: 'Equal' }],
    },
    'couldn\'t init admission plugin "PodTolerationRestriction": invalid config: [podtolerationrestriction.default[0].operator: Unsupported value: "Foo": supported values: "Equal", "Exists" podtolerationrestriction.default[1].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"]',
  ],
]

test.each(rejected)('AdmissionConfiguration: an invalid configuration of %s is an error: %j', (name, document, message) => {
  const isDefault = readAdmissionSettings({}).plugins.some((plugin) => plugin === name)
  const texts = isDefault ? {} : { ENABLE_ADMISSION_PLUGINS: name }
  expect(() => configured(name, document, texts)).toThrow(`failed to apply admission: ${message}`)
})

test('AdmissionConfiguration: configurations of disabled and unknown plugins are not read', () => {
  expect(configured('EventRateLimit', { limits: 'none' }).eventRateLimits).toEqual([])
  expect(configured('Unknown', { any: 1 }).plugins.length).toBe(27)
})

test('AdmissionConfiguration: an unknown field and another kind are errors', () => {
  const read = (document: JsonObject) => () => readAdmissionSettings({ ADMISSION_CONFIGURATION: JSON.stringify(document) })
  const type = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration' }
  const failed = 'failed to apply admission: failed to read plugin config: '
  expect(read({ ...type, foo: 1 })).toThrow(`${failed}strict decoding error: unknown field "foo"`)
  expect(read({ ...type, kind: 'Foo' })).toThrow(`${failed}no kind "Foo" is registered for version "apiserver.config.k8s.io/v1"`)
  expect(read({ a: 1 })).toThrow(`${failed}Object 'Kind' is missing in '{"a":1}'`)
})

test('--default-not-ready-toleration-seconds: a number; any other value is an error', () => {
  expect(readAdmissionSettings({ DEFAULT_NOT_READY_TOLERATION_SECONDS: '-5' })).toMatchObject({
    notReadyTolerationSeconds: -5,
    unreachableTolerationSeconds: 300,
  })
  expect(() => readAdmissionSettings({ DEFAULT_NOT_READY_TOLERATION_SECONDS: 'x' })).toThrow(
    'invalid argument "x" for "--default-not-ready-toleration-seconds" flag: strconv.ParseInt: parsing "x": invalid syntax',
  )
})
