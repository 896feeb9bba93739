/** Work that can stop between its parts: done at once where nobody waits meanwhile, else in slices. */
import { nextSlice } from './slices.ts'

/** Gives how much was done since the last time, in steps of some microseconds each, and at last the result. */
export type Parts<T> = Generator<number, T, undefined>

/** Texts from this length on, in characters, are read and written in a slice of their own. */
const longText = 64 * 1024

/** Whether a text is so long that others would notice while it is read. */
export const isLong = (text: { readonly length: number }): boolean => text.length >= longText

/** Waits for a turn before a long text is read. */
export async function turnFor(text: { readonly length: number }): Promise<void> {
  if (isLong(text)) await nextSlice()
}

/** Steps of one slice: a few milliseconds. */
const stepsOfSlice = 400

/** Does all of it now. */
export function atOnce<T>(parts: Parts<T>): T {
  for (;;) {
    const part = parts.next()
    if (part.done === true) return part.value
  }
}

/** Does it slice by slice: what has come in meanwhile comes first. */
export async function inSlices<T>(parts: Parts<T>): Promise<T> {
  for (;;) {
    await nextSlice()
    for (let steps = 0; steps < stepsOfSlice; ) {
      const part = parts.next()
      if (part.done === true) return part.value
      steps += part.value
    }
  }
}
