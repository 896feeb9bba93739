import { describe, expect, test } from 'vitest'
import { gatesWithStages, isEnabled, readFeatureGates, switchFeatureGates } from './feature-gates.ts'

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
