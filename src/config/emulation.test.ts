import { describe, expect, test } from 'vitest'
import {
  type EmulationTexts,
  emulationText,
  readEmulatedRelease,
  readEmulation,
  resourceConfigOf,
  resourceConfigOfText,
} from './emulation.ts'

const served = (release: string, runtimeConfig: string, ...names: string[]): boolean[] =>
  names.map((name) => {
    const [group = '', version = '', resource = ''] = name.split('/')
    return resourceConfigOf(release, runtimeConfig).isServed({ group, version, resource })
  })

describe('--emulated-version', () => {
  test.each([
    ['', [1, 36]],
    ['1.21', [1, 21]],
    ['v1.21', [1, 21]],
    ['kube=1.15', [1, 15]],
  ])('reads %j', (text, release) => {
    expect(readEmulatedRelease(text)).toEqual(release)
  })

  test.each([
    ['abc', 'could not parse "abc" as version'],
    ['1.34.2', 'patch version not allowed, got: kube=1.34.2'],
    ['foo=1.34', 'component not registered: foo'],
    ['1.33,1.34', 'duplicate version flag, kube=1.33 and kube=1.34'],
    ['1.14', 'emulation version 1.14 is not between [1.15, 1.36.0]'],
    ['1.37', 'emulation version 1.37 is not between [1.15, 1.36.0]'],
  ])('refuses %j as kube-apiserver does', (text, message) => {
    expect(() => readEmulatedRelease(text)).toThrow(new Error(message))
  })
})

describe('--runtime-config', () => {
  // The words of kube-apiserver v1.36.3.
  test.each([
    ['bar/v1=true,foo/v1=true', '', 'unknown api groups bar/v1,foo/v1'],
    ['apps/v7=true', '', 'group version apps/v7 that has not been registered'],
    ['batch/v2alpha1=true', '', 'group version batch/v2alpha1 that has not been registered'],
    ['api/all=false', '', 'invalid runtime-config with only api/all=false'],
    ['api/all', '', 'invalid value api/all='],
    ['apps=true', '', 'runtime-config invalid key apps'],
    ['a/b/c/d', '', 'runtime-config invalid key a/b/c/d'],
    ['apps/v1=maybe', '', 'invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'],
    [
      'apps/v1/Deployments=true',
      '',
      'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
    ],
    [
      'resource.k8s.io/v1/deviceclasses=true',
      '1.33',
      'cannot enable resource resource.k8s.io/v1, Resource=deviceclasses in runtime-config because it is introduced at 1.34 after the current version 1.33. Consider setting --runtime-config-emulation-forward-compatible=true',
    ],
  ])('refuses %j', (text, release, message) => {
    expect(() => resourceConfigOf(release, text)).toThrow(new Error(message))
  })

  test.each(['v1=true', 'api/v1=true', 'api/legacy=true', 'apps/v1/nothing=false', '', 'apps/v1'])('takes %j', (text) => {
    expect(served('', text, 'apps/v1/deployments', '/v1/pods')).toEqual([true, true])
  })

  test('switches versions and resources; a resource comes before its version, and a version before all', () => {
    expect(served('', 'batch/v1=false', 'batch/v1/jobs', 'apps/v1/deployments')).toEqual([false, true])
    expect(served('', 'apps/v1=false,apps/v1/daemonsets=true', 'apps/v1/deployments', 'apps/v1/daemonsets')).toEqual([
      false,
      true,
    ])
    const betas = ['networking.k8s.io/v1beta1/ipaddresses', 'resource.k8s.io/v1beta1/deviceclasses'] as const
    expect(served('', 'api/beta=true,resource.k8s.io/v1beta1=false', ...betas)).toEqual([true, false])
    expect(served('', 'api/all=true,api/beta=false', 'resource.k8s.io/v1alpha3/devicetaintrules', ...betas)).toEqual([
      true,
      false,
      false,
    ])
  })

  test('switches nothing on that the release does not have, or whose feature gate is off', () => {
    expect(served('', 'api/all=true', 'batch/v1beta1/cronjobs', 'scheduling.k8s.io/v1alpha2/workloads')).toEqual([false, false])
    expect(served('1.24', 'api/all=true', 'batch/v1beta1/cronjobs', 'resource.k8s.io/v1/deviceclasses')).toEqual([true, false])
    expect(served('1.16', 'settings.k8s.io/v1alpha1', 'settings.k8s.io/v1alpha1/podpresets')).toEqual([true])
  })

  test('the newest release without preferences is the default', () => {
    expect([resourceConfigOf('').isDefault, resourceConfigOf('1.36').isDefault]).toEqual([true, true])
    expect([resourceConfigOf('1.35').isDefault, resourceConfigOf('', 'api/beta=true').isDefault]).toEqual([false, false])
  })
})

const same = 'cannot be set to true if the emulation version is the same as the binary version'

// The words of kube-apiserver v1.36.3, whose range begins later.
test.each<[EmulationTexts, string]>([
  [{ MIN_COMPATIBILITY_VERSION: '1.37' }, 'minCompatibilityVersion version 1.37 is not between [1.15, 1.36]'],
  [{ MIN_COMPATIBILITY_VERSION: '1.14' }, 'minCompatibilityVersion version 1.14 is not between [1.15, 1.36]'],
  [{ MIN_COMPATIBILITY_VERSION: '1.35.2' }, 'patch version not allowed, got: kube=1.35.2'],
  [{ MIN_COMPATIBILITY_VERSION: 'foo=1.2' }, 'component not registered: foo'],
  [{ MIN_COMPATIBILITY_VERSION: 'x' }, 'could not parse "x" as version'],
  [{ MIN_COMPATIBILITY_VERSION: '1.35,kube=1.34' }, 'duplicate version flag, kube=1.35 and kube=1.34'],
  [
    { EMULATED_RELEASE: '1.34', MIN_COMPATIBILITY_VERSION: '1.35' },
    'minCompatibilityVersion version 1.35 is not between [1.15, 1.34]',
  ],
  [
    { EMULATED_RELEASE: '1.14', EMULATION_FORWARD_COMPATIBLE: 'true' },
    '[emulation version 1.14 is not between [1.15, 1.36.0], minCompatibilityVersion version 1.15 is not between [1.15, 1.14]]',
  ],
  [{ EMULATION_FORWARD_COMPATIBLE: 'true' }, `ServerRunOptions.EmulationForwardCompatible ${same}`],
  [
    { EMULATED_RELEASE: '1.36', RUNTIME_CONFIG_EMULATION_FORWARD_COMPATIBLE: 't' },
    `ServerRunOptions.RuntimeConfigEmulationForwardCompatible ${same}`,
  ],
  [
    { EMULATED_RELEASE: '1.34', EMULATION_FORWARD_COMPATIBLE: 'maybe' },
    'invalid argument "maybe" for "--emulation-forward-compatible" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
  ],
])('%j is refused', (texts, message) => {
  expect(() => readEmulation(texts)).toThrow(new Error(message))
})

test('--min-compatibility-version is the release before the emulated one by default', () => {
  const compatible = (texts: EmulationTexts): unknown => readEmulation(texts).minimumCompatibility
  expect(compatible({})).toEqual([1, 35])
  expect(compatible({ EMULATED_RELEASE: '1.21' })).toEqual([1, 20])
  expect(compatible({ EMULATED_RELEASE: '1.21', MIN_COMPATIBILITY_VERSION: 'kube=1.18' })).toEqual([1, 18])
})

describe('resources that came after the emulated release', () => {
  const devices = ['v1beta1', 'v1beta2', 'v1'].map((version) => `resource.k8s.io/${version}/deviceclasses`)
  const policies = 'admissionregistration.k8s.io/v1/mutatingadmissionpolicies'
  const on = (texts: EmulationTexts, ...names: string[]): boolean[] =>
    names.map((name) => {
      const [group = '', version = '', resource = ''] = name.split('/')
      return resourceConfigOfText(emulationText(texts)).isServed({ group, version, resource })
    })

  // kube-apiserver v1.36.3 serves these with the options.
  test('is served with --emulation-forward-compatible if a beta version of it is on', () => {
    const texts = { EMULATED_RELEASE: '1.33', RUNTIME_CONFIG: 'resource.k8s.io/v1beta1=true' }
    expect(on(texts, ...devices)).toEqual([true, false, false])
    const forward = { ...texts, EMULATION_FORWARD_COMPATIBLE: 'true' }
    expect(on(forward, ...devices, policies)).toEqual([true, true, true, false])
    const off = { ...forward, RUNTIME_CONFIG: 'resource.k8s.io/v1beta1=true,resource.k8s.io/v1=false' }
    expect(on(off, ...devices)).toEqual([true, true, false])
  })

  test('can be named with --runtime-config-emulation-forward-compatible', () => {
    const texts = { EMULATED_RELEASE: '1.33', RUNTIME_CONFIG: `${policies}=true` }
    expect(() => readEmulation(texts)).toThrow('Consider setting --runtime-config-emulation-forward-compatible=true')
    expect(on({ ...texts, RUNTIME_CONFIG_EMULATION_FORWARD_COMPATIBLE: 'true' }, policies, ...devices)).toEqual([
      ...[true, false, false, false],
    ])
  })
})
