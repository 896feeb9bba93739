/** The destinations of audit events. A sink never fails a request: it counts, logs and drops failed events. */

import { logError } from '../../meta/log.ts'
import { newUid } from '../../meta/uid.ts'

/** A destination of audit events, which are lines of JSON. */
export interface Sink {
  readonly name: string
  /** Longer events are written without their objects. */
  readonly maximumCharacters: number
  /**
   * @param waitUntil keeps the request alive until this background work is done
   * @returns if requests wait for the sink, whether the request may go on when the event is stored or lost; else undefined
   */
  write(line: string, waitUntil: (work: Promise<unknown>) => void): Promise<boolean> | undefined
}

/** The methods of an R2 bucket that the sink uses. */
export interface AuditBucket {
  put(key: string, value: string): Promise<unknown>
}

/** The methods of a queue that the sink uses. */
export interface AuditQueue {
  sendBatch(messages: Iterable<{ readonly body: string; readonly contentType: 'text' }>): Promise<unknown>
}

/** Writes to the standard output: to Workers Logs, or to the launcher. */
export const consoleSink: Sink = {
  name: 'console',
  // The size limit of one entry of Workers Logs.
  maximumCharacters: 250_000,
  write: (line) => {
    console.log(line)
    return undefined
  },
}

/** The limits of one batch. */
interface Bounds {
  readonly lines: number
  readonly characters: number
}

/** The longest time that lines wait for others by default, in milliseconds. */
const gathering = 1000

/** A batch that waits so many times as long was not sent because the request that began it was cancelled. */
const abandoned = 5

/** Lines that are sent together, when the batch is full or some time after its first line. */
class Batch {
  readonly begunAt = Date.now()
  readonly sent: Promise<void>
  readonly #lines: string[] = []
  #characters = 0
  #close: () => void = () => {}

  constructor(send: (lines: readonly string[]) => Promise<void>, wait: number) {
    const closed = new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, wait)
      this.#close = () => {
        clearTimeout(timeout)
        resolve()
      }
    })
    this.sent = closed.then(() => send(this.#lines))
  }

  get lines(): readonly string[] {
    return this.#lines
  }

  hasRoomFor(line: string, { lines, characters }: Bounds): boolean {
    return this.#lines.length < lines && this.#characters + line.length <= characters
  }

  add(line: string): void {
    this.#lines.push(line)
    this.#characters += line.length
  }

  close(): void {
    this.#close()
  }
}

/** A sink that sends several lines together. */
export class BatchingSink implements Sink {
  readonly name: string
  readonly maximumCharacters: number
  readonly #bounds: Bounds
  readonly #send: (lines: readonly string[]) => Promise<unknown>
  readonly #failed: (lines: number) => void
  readonly #wait: number
  #batch: Batch | undefined

  /** @param wait the milliseconds that lines wait for others */
  constructor(
    { name, maximumCharacters, ...bounds }: Bounds & Pick<Sink, 'name' | 'maximumCharacters'>,
    send: (lines: readonly string[]) => Promise<unknown>,
    failed: (lines: number) => void,
    wait = gathering,
  ) {
    this.#wait = wait
    this.name = name
    this.maximumCharacters = maximumCharacters
    this.#bounds = bounds
    this.#send = send
    this.#failed = failed
  }

  write(line: string, waitUntil: (work: Promise<unknown>) => void): undefined {
    const batch = this.#batch
    if (batch !== undefined && Date.now() - batch.begunAt > abandoned * this.#wait) {
      this.#batch = undefined
      waitUntil(this.#deliver(batch.lines))
    } else if (batch?.hasRoomFor(line, this.#bounds) === false) {
      this.#batch = undefined
      batch.close()
    }
    if (this.#batch === undefined) {
      this.#batch = this.#begin()
      // The request that begins a batch keeps it alive. Other requests must not wait for I/O of this one.
      waitUntil(this.#batch.sent)
    }
    this.#batch.add(line)
  }

  #begin(): Batch {
    const batch = new Batch((lines) => {
      if (this.#batch === batch) this.#batch = undefined
      return this.#deliver(lines)
    }, this.#wait)
    return batch
  }

  async #deliver(lines: readonly string[]): Promise<void> {
    try {
      await this.#send(lines)
    } catch (error) {
      logError(`audit events were not sent (${this.name})`, error)
      this.#failed(lines.length)
    }
  }
}

/** Returns a key such as `2026/11/21/16/05-09.123-….jsonl`: the objects of an hour share a prefix. */
function bucketKey(now: Date): string {
  const [day = '', time = ''] = now.toISOString().split('T')
  const [hour = '', minute = '', second = ''] = time.replace('Z', '').split(':')
  return `${day.replaceAll('-', '/')}/${hour}/${minute}-${second}-${newUid()}.jsonl`
}

/** Writes to an R2 bucket: one object of JSON lines per batch. */
export function bucketSink(bucket: AuditBucket, failed: (lines: number) => void): Sink {
  return new BatchingSink(
    { name: 'bucket', maximumCharacters: 1_000_000, lines: 1000, characters: 4_000_000 },
    (lines) => bucket.put(bucketKey(new Date()), `${lines.join('\n')}\n`),
    failed,
  )
}

/** Sends to a queue: one message per event. A message holds 128 KB, a batch 100 messages and 256 KB. */
export function queueSink(queue: AuditQueue, failed: (lines: number) => void): Sink {
  return new BatchingSink(
    { name: 'queue', maximumCharacters: 40_000, lines: 100, characters: 80_000 },
    (lines) => queue.sendBatch(lines.map((body) => ({ body, contentType: 'text' as const }))),
    failed,
  )
}
