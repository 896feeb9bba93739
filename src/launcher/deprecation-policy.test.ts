/**
 * Rules 5 to 11 of the deprecation policy, over the tables of options, warnings, feature gates and metrics. Rules 1 to 4, about
 * versions of the API, are in catalog/lifecycle.test.ts.
 */
import { describe, expect, test, vi } from 'vitest'
import type { PersistentVolume } from '../catalog/generated/types/core.v1.ts'
import { newestRelease, oldestRelease } from '../catalog/lifecycle.ts'
import { warnOfPersistentVolume } from '../catalog/warnings/core.ts'
import { gateIn } from '../config/feature-gate-history.ts'
import { type FeatureStage, featureGates } from '../config/feature-gate-table.ts'
import { gateWarnings, readFeatureGates } from '../config/feature-gates.ts'
import { isServed, readHiddenMetrics } from '../config/metrics-options.ts'
import { settingRows } from '../config/settings.ts'
import { isHidden, lifecycleOf, type MetricDefinition } from '../meta/metrics/definition.ts'
import { metricDefinitions } from '../meta/metrics/definitions/all.ts'
import { WarningRecorder } from '../meta/warnings.ts'
import { readArguments } from './command-line.ts'
import { commandNamed, commands } from './commands.ts'

const minors = Array.from({ length: newestRelease[1] - oldestRelease[1] + 1 }, (_, index) => oldestRelease[1] + index)

describe('options of the command line', () => {
  const options = commands.flatMap(({ options: own = [] }) => own)
  const deprecated = options.filter((option) => option.deprecated !== undefined)
  const settingOf = (name: string): string | undefined =>
    settingRows.find(([, { flag, deprecated: former }]) => flag === name || former?.flag === name)?.[1].variable
  const replacementOf = (text: string): string => /--([\w-]+)/.exec(text)?.[1] ?? ''

  test('rules 5a and 5b: a deprecated option does what the one does that replaces it', () => {
    expect(deprecated.map(({ name }) => name)).toContain('audit-webhook-batch-initial-backoff')
    for (const { name, deprecated: text = '' } of deprecated) {
      expect(settingOf(name), name).toBeDefined()
      expect(settingOf(replacementOf(text)), name).toBe(settingOf(name))
    }
  })

  test('rule 5c: no option is replaced by one that is deprecated itself, or only tried out', () => {
    for (const { deprecated: text = '' } of deprecated) {
      const replacement = options.find(({ name }) => name === replacementOf(text))
      expect(replacement?.deprecated).toBeUndefined()
      expect(replacement?.help.join(' ')).not.toMatch(/\b(?:alpha|beta)\b/i)
    }
  })

  test('rule 6: a deprecated option warns when it is used, on the standard error alone', () => {
    const [error, log] = [vi.spyOn(console, 'error').mockReturnValue(), vi.spyOn(console, 'log').mockReturnValue()]
    try {
      readArguments(['--audit-webhook-batch-initial-backoff', '1s'], commandNamed('start'))
      expect(error.mock.calls).toEqual([[expect.stringContaining('--audit-webhook-batch-initial-backoff has been deprecated')]])
      readArguments(['--audit-webhook-initial-backoff', '1s'], commandNamed('start'))
      expect([error.mock.calls.length, log.mock.calls.length]).toEqual([1, 0])
    } finally {
      error.mockRestore()
      log.mockRestore()
    }
  })
})

describe('behaviour', () => {
  const volume = (source: string) => ({ metadata: { name: 'a' }, spec: { [source]: {} } }) as unknown as PersistentVolume
  const sources = ['photonPersistentDisk', 'scaleIO', 'flocker', 'storageos', 'quobyte', 'glusterfs', 'cephfs', 'rbd']
  const warningsOf = (source: string): readonly string[] => {
    const warnings = new WarningRecorder()
    warnOfPersistentVolume({ object: volume(source), subresource: '' }, warnings)
    return warnings.texts
  }

  test('rule 7: what is deprecated works for three releases more, about a year', () => {
    const early = sources.filter((source) =>
      warningsOf(source).some((text) => {
        const [, since = 0, until = 0] = /deprecated in v1\.(\d+), non-functional in v1\.(\d+)\+/.exec(text) ?? []
        return Number(until) - Number(since) < 3
      }),
    )
    expect(sources.flatMap(warningsOf).length).toBeGreaterThan(4)
    // Kubernetes made an exception: its driver was no longer maintained.
    expect(early).toEqual(['glusterfs'])
  })
})

describe('feature gates', () => {
  const ranks: Readonly<Record<FeatureStage, number>> = { ALPHA: 0, BETA: 1, '': 2, DEPRECATED: 2 }
  const names = [...featureGates.keys()]
  const stagesOf = (name: string): (FeatureStage | undefined)[] => minors.map((minor) => gateIn(name, [1, minor])?.stage)

  test('rule 8: no feature becomes less stable', () => {
    const falling = names.filter((name) => {
      const stages = stagesOf(name).filter((stage) => stage !== undefined)
      return stages.some((stage, index) => index > 0 && ranks[stage] < ranks[stages[index - 1] ?? 'ALPHA'])
    })
    expect(falling).toEqual([])
  })

  test('rule 9: a gate that has become GA or deprecated can still be named in the releases after', () => {
    const vanished = names.filter((name) => {
      const stages = stagesOf(name)
      const first = stages.findIndex((stage) => stage !== undefined)
      return first < 0 || stages.slice(first).includes(undefined)
    })
    expect(vanished).toEqual([])
    for (const name of names) {
      const { isDefault = true } = featureGates.get(name) ?? {}
      expect([...readFeatureGates(`${name}=${isDefault}`).keys()]).toEqual([name])
    }
  })

  test('rule 9: alpha features are off, and what is locked cannot be set to another value', () => {
    expect(names.filter((name) => featureGates.get(name)?.stage === 'ALPHA' && featureGates.get(name)?.isDefault)).toEqual([])
    for (const [name, { isLocked, isDefault }] of featureGates) {
      if (isLocked) expect(() => readFeatureGates(`${name}=${!isDefault}`)).toThrow(`feature is locked to ${isDefault}`)
    }
  })

  test('rule 10: gates of finished and of deprecated features warn, others do not', () => {
    expect(gateWarnings('APIServerTracing=true,KMSv1=false,AllBeta=true,GenericWorkload=false')).toEqual([
      'Warning: setting GA feature gate. It will be removed in a future release. featureGate="APIServerTracing" value=true',
      'Warning: setting deprecated feature gate. It will be removed in a future release. featureGate="KMSv1" value=false',
    ])
    expect(gateWarnings('APIServerTracing=true', { release: [1, 33], minimumCompatibility: [1, 32] })).toEqual([])
  })
})

describe('metrics', () => {
  const served: Readonly<Record<string, number>> = { STABLE: 3, BETA: 1, ALPHA: 0 }
  const all = Object.entries<MetricDefinition>(metricDefinitions)
  const deprecated = all.filter(([, definition]) => lifecycleOf(definition).deprecated !== '')

  test('rule 11a: every family says how stable it is', () => {
    // The families of a process are those of Prometheus, which knows no stability.
    const own = all.filter(([name]) => !name.startsWith('process_'))
    const unknown = own.filter(([, definition]) => served[lifecycleOf(definition).stability] === undefined)
    expect(unknown.map(([name]) => name)).toEqual([])
  })

  test('rule 11b: a deprecated family is served for as many releases more as its stability promises', () => {
    expect(deprecated.length).toBeGreaterThan(2)
    for (const [name, definition] of deprecated) {
      const { stability, deprecated: since } = lifecycleOf(definition)
      const last = Number(since.split('.')[1]) + (served[stability] ?? 0) - 1
      expect(
        minors.filter((minor) => isHidden(definition, minor)),
        name,
      ).toEqual(minors.filter((minor) => minor > last))
    }
  })

  test('a deprecated family says so in its description, and a hidden one is served on request', () => {
    const hidden = deprecated.filter(([, definition]) => isHidden(definition, newestRelease[1]))
    expect(hidden.length).toBeGreaterThan(0)
    for (const [name, definition] of hidden) {
      expect(definition.help).toMatch(/^\[\w+\] \(Deprecated since 1\.\d+\.0\)/)
      const shown = (minor: string): boolean =>
        isServed({ name, definition }, { hidden: readHiddenMetrics(minor), disabled: new Set() })
      expect([shown(''), shown('1.35')], name).toEqual([false, true])
    }
  })
})
