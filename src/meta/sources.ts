/** The sources of times and random values of Durable Objects and of the Worker. Only a server for tests replaces them. */
import { newUid } from './uid.ts'

/** The sources of one Durable Object. */
export interface Sources {
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
  /** Returns a number from 0 to below 1, for a generated name that begins with `base` or for another purpose. */
  readonly random: (base: string) => number
  /** Returns the uid of a new object. */
  readonly uid: (key: string) => string
  /** The name of the object from which its first resourceVersion follows. */
  readonly versionName: string
}

const random = (): number => Math.random()

/** Returns the sources of a Durable Object that is not under test. */
export const systemSources = (versionName: string): Sources => ({ now: Date.now, random, uid: newUid, versionName })
