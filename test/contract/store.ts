/** The contract of every Store implementation. Each has a test file that runs it. */
import { describe } from 'vitest'
import type { MakeStore } from './make-store.ts'
import { describeListing } from './store-listing.ts'
import { describeWatching } from './store-watching.ts'
import { describeWriting } from './store-writing.ts'

/** Defines the whole suite. */
export function describeStore(name: string, make: MakeStore): void {
  describe(name, () => {
    describeWriting(make)
    describeListing(make)
    describeWatching(make)
  })
}
