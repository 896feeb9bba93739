/** Work that an earlier release has stored is done by this one. */

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import recording from '../../conformance/recorded/messages.jsonl?raw'
import { newControl } from './new-control.ts'

interface RecordedRow {
  readonly row: string
  readonly value: true | { readonly at: number; readonly attempt: number }
}

/** The rows are due, whenever they were recorded. */
const recorded = recording
  .split('\n')
  .filter((line) => line.startsWith('{"row"'))
  .map((line) => JSON.parse(line) as RecordedRow)
  .map(({ row, value }) => ({ row, value: value === true ? value : { ...value, at: Date.now() } }))

const ofDisabled = 'workqueue/validating-policy-status'

test('rows of queues that another release has stored are worked off, unless their controller is off', async () => {
  expect(recorded.length).toBeGreaterThan(20)
  const control = await newControl(crypto.randomUUID(), 'one-object')
  await runInDurableObject(control, (_, { storage }) => {
    for (const { row, value } of recorded) storage.kv.put(row, value)
  })
  await evictDurableObject(control)
  await runDurableObjectAlarm(control)
  const left = (): Promise<string[]> =>
    runInDurableObject(control, (_, { storage }) =>
      recorded.map(({ row }) => row).filter((row) => storage.kv.get(row) !== undefined),
    )
  await expect.poll(left).toEqual([ofDisabled])
})
