/** The maximum number of bytes that wait to be written. */
const mostWaiting = 64 * 1024 * 1024

/**
 * Writes to a connection in order. Events of a WebSocket cannot be held back, so data that has not been written is kept; if it
 * becomes too much, the connection is given up. After a write that fails nothing is written: the connection has ended, but all that
 * has arrived before is still to be read.
 */
export class WriteQueue {
  readonly #write: (data: Uint8Array) => Promise<void>
  readonly #giveUp: () => void
  #last: Promise<void> = Promise.resolve()
  #waiting = 0
  #isBroken = false

  constructor(write: (data: Uint8Array) => Promise<void>, giveUp: () => void) {
    this.#write = write
    this.#giveUp = giveUp
  }

  push(data: Uint8Array): void {
    if (this.#isBroken) return
    this.#waiting += data.length
    if (this.#waiting > mostWaiting) {
      this.#giveUp()
      return
    }
    this.#last = this.#last
      .then(() => (this.#isBroken ? undefined : this.#write(data)))
      .then(
        () => {
          this.#waiting -= data.length
        },
        () => {
          this.#isBroken = true
        },
      )
  }
}
