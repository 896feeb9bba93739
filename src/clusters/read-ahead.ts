/**
 * A read that is sent with the renewal of the policy snapshot, so that a GET after a pause takes one inner request. The control
 * object performs it only if the Worker's snapshot is current, and if it holds the collection (docs/decisions/policy-age.md).
 */
import type { Operation } from './operation.ts'
import { locationHeader, placementHeader } from './placement.ts'
import { accountHeader, readAheadHeader, settledHeader } from './policy-messages.ts'
import { clusterUidHeader } from './protocol.ts'

/** The headers that a renewal adds to the response. Clients must not get them. */
const innerHeaders = [accountHeader, clusterUidHeader, locationHeader, placementHeader, readAheadHeader, settledHeader]

/** The read of one request: sent at most once, and used only by the operation that it was made for. */
export class ReadAhead {
  readonly #operationOf: () => Operation | undefined
  #sent: string | undefined
  #answer: Promise<Response | undefined> = Promise.resolve(undefined)
  #arrive: (response: Response | undefined) => void = () => undefined
  #isOver = false

  /** @param operationOf returns the operation that the request will perform if it is allowed; undefined if it is no such read */
  constructor(operationOf: () => Operation | undefined) {
    this.#operationOf = operationOf
  }

  /** Returns the operation to send with a renewal; undefined if the request has none, or has sent it already. */
  begin(): Operation | undefined {
    if (this.#isOver || this.#sent !== undefined) return undefined
    const operation = this.#operationOf()
    this.#sent = JSON.stringify(operation) ?? ''
    if (operation === undefined) return undefined
    this.#answer = new Promise((resolve) => {
      this.#arrive = resolve
    })
    return operation
  }

  /** Takes the response to the renewal; undefined if the operation was not performed. */
  arrived(response: Response | undefined): void {
    this.#arrive(response)
  }

  /** Returns the response to an operation; undefined if the operation has to be sent. */
  async take(operation: Operation): Promise<Response | undefined> {
    if (this.#isOver || this.#sent !== JSON.stringify(operation)) return undefined
    const response = await this.#answer
    if (response === undefined || this.#isOver) return undefined
    this.#isOver = true
    const answer = new Response(response.body, response)
    for (const name of innerHeaders) answer.headers.delete(name)
    return answer
  }

  /** Ends the request: a response that nobody has read is dropped, because it would keep the Durable Object in memory. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    void this.#answer.then(drop)
  }
}

function drop(response: Response | undefined): void {
  response?.body?.cancel().catch(() => undefined)
}
