/** The resourceVersion with which a collection continues after its contents were taken back to an earlier time. */

/** More writes than a Durable Object makes in a millisecond. */
const versionsPerMillisecond = 10

/** More than a burst, and than the difference of two clocks. */
const margin = 1_000_000

/**
 * Returns a resourceVersion above all that clients can have seen since a state was current. A client that has seen a later
 * version is told to list again: it must never get one version twice with different contents.
 * @param at when the collection had `resourceVersion`; both times in milliseconds since the epoch
 */
export const versionSince = (resourceVersion: number, at: number, now: number): number =>
  resourceVersion + margin + versionsPerMillisecond * Math.max(0, Math.ceil(now - at))
