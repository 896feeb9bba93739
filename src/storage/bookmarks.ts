/** Decides when an idle watch gets a heartbeat or a bookmark. */

/** The kind of message that is due when a watcher's heartbeat timer fires. */
export type Heartbeat = 'bookmark' | 'heartbeat' | 'nothing'

/** The state of a watcher when its heartbeat timer fires. */
export interface HeartbeatState {
  /** The number of this heartbeat, counted from 1. */
  readonly heartbeat: number
  /** A bookmark is due at every n-th heartbeat. */
  readonly heartbeatsPerBookmark: number
  readonly bookmarks: boolean
  /**
   * Whether the watcher has sent its initial state. Before that, a bookmark would tell a position that the client does not have.
   */
  readonly initialized: boolean
  /** Whether an event or a bookmark was sent since the last heartbeat. If so, the write has already tested the connection. */
  readonly sent: boolean
}

/** Returns the message that is due now. A client that has gone is noticed only when we write to it. */
export function heartbeatOf(state: HeartbeatState): Heartbeat {
  if (state.bookmarks && state.initialized && state.heartbeat % state.heartbeatsPerBookmark === 0) return 'bookmark'
  return state.sent ? 'nothing' : 'heartbeat'
}
