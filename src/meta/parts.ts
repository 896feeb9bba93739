/** Work that can pause between its parts: run at once if no other request can wait meanwhile, otherwise in slices. */
import { nextSlice } from './slices.ts'

/** Yields the number of steps done since the last yield, each of some microseconds, and returns the result. */
export type Parts<T> = Generator<number, T, undefined>

/** Parsing or serializing a text of at least this many characters gets a slice of its own. */
const longText = 64 * 1024

/** Whether a text is so long that its work would delay other requests. */
export const isLong = (text: { readonly length: number }): boolean => text.length >= longText

/** Waits for the next slice if the text is long. */
export async function waitIfLong(text: { readonly length: number }): Promise<void> {
  if (isLong(text)) await nextSlice()
}

/** The steps of one slice: a few milliseconds. */
const stepsOfSlice = 400

/** Runs all parts now. */
export function runNow<T>(parts: Parts<T>): T {
  for (;;) {
    const part = parts.next()
    if (part.done === true) return part.value
  }
}

/** Runs the parts in slices; other requests get their turn in between. */
export async function runInSlices<T>(parts: Parts<T>): Promise<T> {
  for (;;) {
    await nextSlice()
    for (let steps = 0; steps < stepsOfSlice; ) {
      const part = parts.next()
      if (part.done === true) return part.value
      steps += part.value
    }
  }
}
