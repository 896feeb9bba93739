import { describe, expect, test } from 'vitest'
import { type EmulatedVersion, gatesWithStages, isEnabled, readFeatureGates, switchFeatureGates } from './feature-gates.ts'

const in1 = (minor: number): EmulatedVersion => ({ release: [1, minor], minimumCompatibility: [1, minor - 1] })

describe('gates of an older release', () => {
  // The words of kube-apiserver v1.36.3 with --emulated-version.
  test.each([
    [
      'GenericWorkload=true',
      34,
      'cannot set feature gate GenericWorkload to true, feature is PreAlpha at emulated version 1.34, min compatibility version 1.33',
    ],
    [
      'CBORServingAndStorage=true',
      31,
      'cannot set feature gate CBORServingAndStorage to true, feature is PreAlpha at emulated version 1.31, min compatibility version 1.30',
    ],
    ['Foo=true', 21, 'unrecognized feature gate: Foo'],
  ])('%s is refused in 1.%d', (list, minor, message) => {
    expect(() => readFeatureGates(list, in1(minor))).toThrow(new Error(message))
  })

  test('a gate that is locked now could be set before', () => {
    expect(() => readFeatureGates('APIServerTracing=false')).toThrow('locked to true')
    expect([...readFeatureGates('APIServerTracing=false', in1(33))]).toEqual([['APIServerTracing', false]])
  })

  test('have the stages and defaults of the release', () => {
    try {
      switchFeatureGates('', in1(33))
      const gates = new Map([...gatesWithStages()].map(({ name, stage, isOn }) => [name, [stage, isOn]]))
      // As many as kube-apiserver has with --emulated-version=1.33.
      expect(gates.size).toBe(172)
      expect(gates.get('ComponentStatusz')).toEqual(['ALPHA', false])
      expect(gates.get('APIServerTracing')).toEqual(['BETA', true])
      expect(gates.has('GenericWorkload')).toBe(false)
    } finally {
      switchFeatureGates('')
    }
  })
})

describe('a list of feature gates', () => {
  test.each([
    ['', []],
    [
      'ComponentFlagz=false, CBORServingAndStorage= true',
      [
        ['ComponentFlagz', false],
        ['CBORServingAndStorage', true],
      ],
    ],
    [
      'kube:ComponentFlagz=f,kube:ComponentStatusz=0',
      [
        ['ComponentFlagz', false],
        ['ComponentStatusz', false],
      ],
    ],
    ['AllBeta=false', [['AllBeta', false]]],
    ['AllAlpha=true', [['AllAlpha', true]]],
    [
      'WorkloadWithJob=true,GenericWorkload=true',
      [
        ['WorkloadWithJob', true],
        ['GenericWorkload', true],
      ],
    ],
  ])('%j is read', (list, values) => {
    expect([...readFeatureGates(list)]).toEqual(values)
  })

  test.each([
    ['Foo=true', 'unrecognized feature gate: Foo'],
    ['Foo=true,Bar=x', 'invalid value of Bar=x, err: strconv.ParseBool: parsing "x": invalid syntax'],
    ['ComponentFlagz', 'missing bool value for ComponentFlagz'],
    ['other:ComponentFlagz=false', 'component not registered: other'],
    [
      'ComponentStatusz=true,kube:ComponentFlagz=false',
      'set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use',
    ],
    ['DRAAdminAccess=false', 'cannot set feature gate DRAAdminAccess to false, feature is locked to true'],
    [
      'APIServerTracing=false,DRAAdminAccess=false',
      '[cannot set feature gate APIServerTracing to false, feature is locked to true, cannot set feature gate DRAAdminAccess to false, feature is locked to true]',
    ],
    [
      'GenericWorkload=false,GangScheduling=true,WorkloadWithJob=true',
      '[GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload], WorkloadWithJob is enabled, but depends on features that are disabled: [GenericWorkload]]',
    ],
  ])('%j is rejected in the words of kube-apiserver', (list, message) => {
    expect(() => readFeatureGates(list)).toThrow(message)
  })
})

test('AllBeta switches the gates of its stage that are not named themselves', () => {
  try {
    switchFeatureGates('AllBeta=false,ComponentFlagz=true')
    expect([isEnabled('ComponentFlagz'), isEnabled('ComponentStatusz'), isEnabled('APIResponseCompression')]).toEqual([
      true,
      false,
      false,
    ])
    const others = [...gatesWithStages()].filter(({ stage, isOn }) => stage === '' && !isOn)
    expect(others).toEqual([])
  } finally {
    switchFeatureGates('')
  }
  expect(isEnabled('ComponentStatusz')).toBe(true)
})
