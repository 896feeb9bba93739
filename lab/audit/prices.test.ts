import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../root.ts'
import { bill, totalOf } from './prices.ts'
import { type Results, render } from './report.ts'
import { priced, scenariosOf } from './scenarios.ts'
import type { Step } from './step.ts'
import { noUsage, times } from './usage.ts'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

test('a watch that holds its object for a month costs as the documentation computes it', () => {
  // 2,592,000 s × 0.128 GB = 331,776 GB-s, at $12.50 a million: inside the included 400,000.
  const lines = bill({ ...noUsage, heldSeconds: 2_592_000 })
  expect(totalOf(lines, 'dollars')).toBeCloseTo(4.1472, 4)
  expect(totalOf(lines, 'beyondIncluded')).toBe(0)
})

test('the bill of three such watches begins beyond the included amount', () => {
  expect(totalOf(bill({ ...noUsage, heldSeconds: 3 * 2_592_000 }), 'beyondIncluded')).toBeCloseTo(7.4416, 4)
})

test('twenty WebSocket messages are one request, and setAlarm is a row written', () => {
  const usage = { ...noUsage, socketMessages: 20, alarmsSet: 3 }
  expect(totalOf(bill(times(1_000_000, usage)), 'dollars')).toBeCloseTo(0.15 + 3, 6)
})

test('a month without clients misses its goal if anything at all is counted', () => {
  const isMet = (alarms: number): boolean | undefined => {
    const idle: Step = { name: 'second without clients', times: 60, usage: { ...noUsage, alarms }, held: 0, alarmsLeft: 0 }
    return priced(scenariosOf([idle], {})[0] ?? expect.fail('there is no scenario')).isMet
  }
  expect([isMet(0), isMet(1)]).toEqual([true, false])
})

test('the tables of docs/costs.md are those of the stored results', () => {
  const page = read('docs/costs.md')
  expect(render(page, JSON.parse(read('lab/bench/results/audit.json')) as Results), 'npm run lab audit -- --render').toBe(page)
})
