/**
 * Collects garbage when long texts have left much of it. Each of them is in V8's heap several times while it is handled, and outlives
 * the young generation there. V8 lets such garbage grow to several hundred megabytes before it first collects the old generation,
 * although some 30 of them are in use: a machine of 24 GB seems to have room.
 */
import { isLong } from './parts.ts'

/** More bytes than any address space has. V8 collects all garbage before it gives up to reserve them; nothing is allocated. */
const unreservableBytes = 2 ** 47

/** TypeScript's libraries lack the options of resizable buffers. */
const ResizableBuffer = ArrayBuffer as new (length: number, options: { readonly maxByteLength: number }) => ArrayBuffer

/** Collects all garbage of the isolate: a tenth of a second for a heap of 30 MB. */
function collectAll(): void {
  try {
    new ResizableBuffer(0, { maxByteLength: unreservableBytes })
  } catch {
    // It always fails: the collection before was the purpose.
  }
}

/** A collection that took longer is due so much later again: with much in use, V8 has to look at all of it. */
const usualMilliseconds = 200
const mostDelay = 4

/**
 * Counts long texts, and collects garbage when there were enough.
 * @example
 * const meter = new GarbageMeter(collectAll)
 * meter.every(96 * 1024 * 1024)
 * meter.handled(text)
 */
export class GarbageMeter {
  readonly #collect: () => void
  readonly #now: () => number
  #limit = 0
  #delay = 1
  #handled = 0

  /** @param now milliseconds, which advance while code runs */
  constructor(collect: () => void, now: () => number = Date.now) {
    this.#collect = collect
    this.#now = now
  }

  /** Sets the number of characters of long texts after which garbage is collected; 0: never. */
  every(characters: number): void {
    this.#limit = characters
  }

  /** Counts a text, or bytes that were made of one. Nothing may be held that the caller needs no more. */
  handled(text: { readonly length: number }): void {
    if (this.#limit === 0 || !isLong(text)) return
    this.#handled += text.length
    if (this.#handled < this.#limit * this.#delay) return
    this.#handled = 0
    const began = this.#now()
    this.#collect()
    this.#delay = Math.min(mostDelay, Math.max(1, (this.#now() - began) / usualMilliseconds))
  }
}

/** The meter of this isolate. */
export const garbage = new GarbageMeter(collectAll)
