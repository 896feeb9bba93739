import { expect, test } from 'vitest'
import { type Heartbeat, type HeartbeatState, heartbeatOf } from './bookmarks.ts'

const idle: HeartbeatState = { heartbeat: 1, heartbeatsPerBookmark: 2, bookmarks: true, initialized: true, sent: false }

test.each<[string, Partial<HeartbeatState>, Heartbeat]>([
  ['an idle watch between bookmarks', {}, 'heartbeat'],
  ['a busy watch between bookmarks', { sent: true }, 'nothing'],
  ['an idle watch when a bookmark is due', { heartbeat: 4 }, 'bookmark'],
  ['a busy watch when a bookmark is due', { heartbeat: 4, sent: true }, 'bookmark'],
  ['a watch without bookmarks', { heartbeat: 4, bookmarks: false }, 'heartbeat'],
  ['a watch whose initial state is not sent yet', { heartbeat: 4, initialized: false }, 'heartbeat'],
])('bookmark or heartbeat: %s', (_, state, expected) => expect(heartbeatOf({ ...idle, ...state })).toBe(expected))
