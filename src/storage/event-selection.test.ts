import { expect, test } from 'vitest'
import { selectedEvent } from './event-selection.ts'
import type { EventType, Stored, StoreEvent } from './store.ts'

const state = (resourceVersion: number, labels: string): Stored => ({
  key: 'pods/a/x',
  resourceVersion,
  value: `{"metadata":{"resourceVersion":"${resourceVersion}"}}`,
  labels,
})
const matches = (object: Stored): boolean => object.labels === 'in'

test.each<[EventType, string | undefined, string, EventType | undefined]>([
  ['ADDED', undefined, 'in', 'ADDED'],
  ['ADDED', undefined, 'out', undefined],
  ['MODIFIED', 'in', 'in', 'MODIFIED'],
  ['MODIFIED', 'out', 'in', 'ADDED'],
  ['MODIFIED', 'in', 'out', 'DELETED'],
  ['MODIFIED', 'out', 'out', undefined],
  ['DELETED', 'in', 'in', 'DELETED'],
  ['DELETED', 'in', 'out', 'DELETED'],
  ['DELETED', 'out', 'in', undefined],
])('%s: a change from %s to %s of the selection is sent as %s', (type, before, after, expected) => {
  const event: StoreEvent = { type, object: state(7, after), previous: before === undefined ? undefined : state(3, before) }
  expect(selectedEvent(event, matches)?.type).toBe(expected)
  expect(selectedEvent(event, undefined)).toBe(event)
})

test('an object that leaves the selection is sent as DELETED, in its last selected state under the new resourceVersion', () => {
  const event: StoreEvent = { type: 'MODIFIED', object: state(7, 'out'), previous: state(3, 'in') }
  expect(selectedEvent(event, matches)?.object).toEqual({ ...state(7, 'in'), writtenAt: 3 })
})
