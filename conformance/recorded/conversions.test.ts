import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { conversionsOf, recordedConversions } from '../../lab/conversions/compare.ts'

const recorded = readFileSync(join(import.meta.dirname, 'conversions.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map(recordedConversions)

describe("objects of versions that are not served by default are converted as by kube-apiserver's own functions", () => {
  const byVersion = [...Map.groupBy(recorded, ({ version }) => version)]

  test.each(byVersion)('%s', (_version, conversions) => {
    for (const expected of conversions) expect(conversionsOf(expected)).toEqual(expected.converted)
  })
})
