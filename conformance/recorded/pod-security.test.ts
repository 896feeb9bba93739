import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PodSpec } from '../../src/catalog/generated/types/core.v1.ts'
import type { Level, PolicyVersion } from '../../src/clusters/pod-security.ts'
import type { ObjectMeta } from '../../src/meta/object-meta.ts'
import { evaluatePod, violationsText } from '../../src/registry/admission/pod-security/evaluator.ts'
import { readLines } from '../lines.ts'

/** The text about the violations from a minor version on; '' if the Pod is allowed. */
interface Change {
  readonly since: number
  readonly text: string
}

interface Recorded {
  readonly pod: { readonly metadata: ObjectMeta; readonly spec: PodSpec }
  readonly results: Readonly<Record<'baseline' | 'restricted', readonly Change[]>>
}

const newestMinor = 36

const recorded = readLines<Recorded>(join(import.meta.dirname, 'pod-security.jsonl'))

function evaluated({ pod }: Recorded, level: Level, version: PolicyVersion): string {
  return violationsText(evaluatePod({ level, version }, pod.metadata, pod.spec))
}

function changesOf(record: Recorded, level: 'baseline' | 'restricted'): Change[] {
  const changes: Change[] = []
  for (let since = 0; since <= newestMinor; since++) {
    const text = evaluated(record, level, `v1.${since}`)
    if (changes.at(-1)?.text !== text) changes.push({ since, text })
  }
  return changes
}

test.each(['baseline', 'restricted'] as const)('Pod Security %s finds the recorded violations in every version', (level) => {
  expect(recorded.length).toBeGreaterThan(100)
  for (const record of recorded) {
    expect({ pod: record.pod, changes: changesOf(record, level) }).toEqual({ pod: record.pod, changes: record.results[level] })
  }
})

test.each(['latest', 'v1.37', 'v1.4000'] as const)('Pod Security version %s is evaluated as the newest known one', (version) => {
  for (const record of recorded) {
    for (const level of ['baseline', 'restricted'] as const) {
      expect(evaluated(record, level, version)).toBe(record.results[level].at(-1)?.text)
    }
  }
})

test('the level privileged allows every Pod', () => {
  for (const record of recorded) expect(evaluated(record, 'privileged', 'latest')).toBe('')
})
