/** What keeps an idle watch alive, and tells its client how far it is. */

/** What is sent at a beat of a watcher's clock. */
export type Heartbeat = 'bookmark' | 'heartbeat' | 'nothing'

/** A watcher at a beat. */
export interface HeartbeatState {
  /** The how many-eth beat it is, from 1. */
  readonly beat: number
  /** Every so many beats a bookmark is due. */
  readonly beatsPerBookmark: number
  readonly bookmarks: boolean
  /** Whether the watcher has seen its initial state, so that a bookmark may say how far it is. */
  readonly initialized: boolean
  /** Whether something was sent since the beat before: then the connection has shown that it lives. */
  readonly sent: boolean
}

/** Decides what is sent. A lost client is only noticed by writing to it. */
export function heartbeatOf(state: HeartbeatState): Heartbeat {
  if (state.bookmarks && state.initialized && state.beat % state.beatsPerBookmark === 0) return 'bookmark'
  return state.sent ? 'nothing' : 'heartbeat'
}
