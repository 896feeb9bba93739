import { expect, test } from 'vitest'
import { type Heartbeat, type HeartbeatState, heartbeatOf } from './bookmarks.ts'

const idle: HeartbeatState = { beat: 1, beatsPerBookmark: 2, bookmarks: true, initialized: true, sent: false }

test.each<[string, Partial<HeartbeatState>, Heartbeat]>([
  ['an idle watch between bookmarks', {}, 'heartbeat'],
  ['a busy watch between bookmarks', { sent: true }, 'nothing'],
  ['an idle watch when a bookmark is due', { beat: 4 }, 'bookmark'],
  ['a busy watch when a bookmark is due', { beat: 4, sent: true }, 'bookmark'],
  ['a watch without bookmarks', { beat: 4, bookmarks: false }, 'heartbeat'],
  ['a watch that does not yet know how far it is', { beat: 4, initialized: false }, 'heartbeat'],
])('%s', (_, state, expected) => expect(heartbeatOf({ ...idle, ...state })).toBe(expected))
