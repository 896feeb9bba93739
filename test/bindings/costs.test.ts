/** The short form of the audit of costs: the counts of each step stay within bounds. Times are not compared. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuditedServer, startAuditedServer } from '../../lab/audit/server.ts'
import { onceOf, type Step, type StepName } from '../../lab/audit/step.ts'
import { measureSteps, settingsOf, shortSize } from '../../lab/audit/steps.ts'
import type { Quantity } from '../../lab/audit/usage.ts'

type Bounds = Readonly<Partial<Record<Quantity | 'held' | 'alarmsLeft', number>>>

const bounds = Object.entries(
  JSON.parse(readFileSync(join(import.meta.dirname, 'cost-bounds.json'), 'utf8')) as Record<StepName, Bounds>,
) as [StepName, Bounds][]

let server: AuditedServer
let steps: readonly Step[]

beforeAll(async () => {
  server = await startAuditedServer(settingsOf(shortSize, 'collections'))
  steps = await measureSteps(server, shortSize)
}, 300_000)

afterAll(() => server.stop())

test.each(bounds)('costs of the step "%s" stay within its bounds', (name, most) => {
  const step = steps.find((one) => one.name === name)
  if (step === undefined) expect.fail('the step was not measured')
  const counted = { ...onceOf(steps, name), held: step.held, alarmsLeft: step.alarmsLeft }
  const exceeded = Object.entries(most).filter(([quantity, bound]) => counted[quantity as keyof typeof counted] > bound)
  const found = exceeded.map(
    ([quantity, bound]) => `${quantity}: ${counted[quantity as keyof typeof counted]} instead of ${bound}`,
  )
  expect(found).toEqual([])
})

test('a server without clients counts nothing, holds no object and has set no alarm', () => {
  const step = steps.find(({ name }) => name === 'second without clients')
  expect(step).toMatchObject({ held: 0, alarmsLeft: 0 })
  const counted = Object.entries(step?.usage ?? {}).filter(([, amount]) => amount > 0)
  expect(counted).toEqual([])
})
