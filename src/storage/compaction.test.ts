import { expect, test } from 'vitest'
import { type CompactionState, nextCompaction } from './compaction.ts'

const state: CompactionState = { historySeconds: 300, historyEvents: 1000, events: 1101, oldestAt: 1_000_000 }

test.each<[string, Partial<CompactionState>, number, number | undefined]>([
  ['waits until the oldest event is old enough, and a tenth longer', {}, 1_000_000, 1_330_000],
  ['is due at once if that time has passed', {}, 2_000_000, 2_000_000],
  ['is not due without events', { events: 0, oldestAt: undefined }, 1_000_000, undefined],
  ['is not due while there are at most a tenth more than historyEvents events', { events: 1100 }, 2_000_000, undefined],
  ['of fewer than ten events is due at the first one more', { historyEvents: 9, events: 10 }, 2_000_000, 2_000_000],
  ['waits at least a second', { historySeconds: 0 }, 1_000_000, 1_001_000],
  ['waits half a minute longer at most', { historySeconds: 3600 }, 1_000_000, 1_000_000 + 3_630_000],
])('compaction %s', (_, changes, now, expected) => expect(nextCompaction({ ...state, ...changes }, now)).toBe(expected))
