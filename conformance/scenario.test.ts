import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readPairs } from './pairs.ts'
import { answeredSteps, formatScenario, parseScenario, readScenario, scenarioNames, titleOf } from './scenario.ts'

const folders = ['scenarios', 'plugins/guards', 'plugins/provision'].map((folder) => join(import.meta.dirname, folder))
const files = folders.flatMap((folder) => scenarioNames(folder).map((name) => ({ folder, name })))

test('a recorded scenario has the name of its file, keys in their order, and an answer for each step', () => {
  const faults = files.filter(({ folder, name }) => {
    const scenario = readScenario(folder, name)
    const text = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    const isAnswered = answeredSteps(scenario).every(({ answer }) => answer !== undefined)
    return scenario.name !== name || formatScenario(scenario) !== text || !isAnswered
  })
  expect(faults).toEqual([])
})

test('each scenario for the default plugins belongs to an area', () => {
  const areas = files.filter(({ folder }) => folder === folders[0]).map(({ folder, name }) => readScenario(folder, name).area)
  expect([...new Set(areas)].sort()).toEqual(['access', 'admission', 'crud', 'custom', 'kinds', 'patching', 'reading'])
})

const lines = `{"name":"one","area":"crud","about":"reads"}
{"do":"GET /api","answer":{"status":200}}
{"sleep":10}
{"watch":"/api?watch=1","id":"w","answer":{"status":200}}
{"stop":"w","answer":{"events":[]}}
`

test('a scenario is written as a line for itself and a line for each step', () => {
  const scenario = parseScenario(lines)
  expect(answeredSteps(scenario).map(titleOf)).toEqual(['GET /api', 'WATCH /api?watch=1', 'STOP w'])
  expect(formatScenario(scenario)).toBe(lines)
  expect(() => formatScenario({ ...scenario, steps: [{ do: 'GET /api', ignored: [] } as { do: string }] })).toThrow('"ignored"')
})

const pairs = mkdtempSync(join(tmpdir(), 'edgeplane-pairs-'))
afterAll(() => rmSync(pairs, { recursive: true }))

test('scenarios and answers in two files of JSON become lines', () => {
  const steps = [{ do: 'GET /api' }, { sleep: 10 }, { watch: '/api?watch=1', id: 'w' }, { stop: 'w' }]
  const answers = [{ status: 200 }, { status: 200 }, { events: [] }].map((answer) => ({ step: 'of the step', answer }))
  for (const folder of ['scenarios', 'golden']) mkdirSync(join(pairs, folder))
  writeFileSync(join(pairs, 'scenarios', 'file.json'), JSON.stringify([{ about: 'reads', name: 'one', steps }]))
  writeFileSync(join(pairs, 'golden', 'one.json'), JSON.stringify(answers))
  writeFileSync(join(pairs, 'areas.json'), JSON.stringify({ crud: ['file'] }))
  expect(readPairs(pairs).map(formatScenario)).toEqual([lines])
})
