/** The way of an object's requests to itself: they are calls, which the runtime does not see. */
export class Loopback {
  #answer: ((request: Request) => Promise<Response>) | undefined

  /** Connects the object, when it is open. */
  connect(answer: (request: Request) => Promise<Response>): void {
    this.#answer = answer
  }

  fetch(request: Request): Promise<Response> {
    if (this.#answer === undefined) throw new Error('the object is not open yet')
    return this.#answer(request)
  }
}
