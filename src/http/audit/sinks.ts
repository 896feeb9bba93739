/** Where audit events go. None of them can fail a request: what cannot be written is counted, told in the log and dropped. */
import { newUid } from '../../meta/uid.ts'

/** Takes lines of JSON. */
export interface Sink {
  readonly name: string
  /** Events that are longer come without the objects in them. */
  readonly maximumCharacters: number
  /** @param waitUntil keeps the request alive until work is done that nobody awaits */
  write(line: string, waitUntil: (work: Promise<unknown>) => void): void
}

/** The part of an R2 bucket that is used. */
export interface AuditBucket {
  put(key: string, value: string): Promise<unknown>
}

/** The part of a queue that is used. */
export interface AuditQueue {
  sendBatch(messages: Iterable<{ readonly body: string; readonly contentType: 'text' }>): Promise<unknown>
}

/** The standard output: Workers Logs, or what the launcher makes of it. */
export const consoleSink: Sink = {
  name: 'console',
  // What one entry of Workers Logs holds.
  maximumCharacters: 250_000,
  write: (line) => console.log(line),
}

/** How much goes into one batch. */
interface Bounds {
  readonly lines: number
  readonly characters: number
}

/** So long lines wait for others at most, in milliseconds. */
const gathering = 1000

/** After so long a batch is not sent any more by the request that began it: that was ended by force. */
const abandoned = 5 * gathering

/** Lines that are sent together: when it is full, or some time after the first. */
class Batch {
  readonly begunAt = Date.now()
  readonly sent: Promise<void>
  readonly #lines: string[] = []
  #characters = 0
  #close: () => void = () => {}

  constructor(send: (lines: readonly string[]) => Promise<void>) {
    const closed = new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, gathering)
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

/** Sends several lines together. */
class BatchingSink implements Sink {
  readonly name: string
  readonly maximumCharacters: number
  readonly #bounds: Bounds
  readonly #send: (lines: readonly string[]) => Promise<unknown>
  readonly #failed: (lines: number) => void
  #batch: Batch | undefined

  constructor(
    { name, maximumCharacters, ...bounds }: Bounds & Pick<Sink, 'name' | 'maximumCharacters'>,
    send: (lines: readonly string[]) => Promise<unknown>,
    failed: (lines: number) => void,
  ) {
    this.name = name
    this.maximumCharacters = maximumCharacters
    this.#bounds = bounds
    this.#send = send
    this.#failed = failed
  }

  write(line: string, waitUntil: (work: Promise<unknown>) => void): void {
    const batch = this.#batch
    if (batch !== undefined && Date.now() - batch.begunAt > abandoned) {
      this.#batch = undefined
      waitUntil(this.#deliver(batch.lines))
    } else if (batch?.hasRoomFor(line, this.#bounds) === false) {
      this.#batch = undefined
      batch.close()
    }
    if (this.#batch === undefined) {
      this.#batch = this.#begin()
      // The request that begins a batch keeps it alive: the others do not wait for what is another's.
      waitUntil(this.#batch.sent)
    }
    this.#batch.add(line)
  }

  #begin(): Batch {
    const batch = new Batch((lines) => {
      if (this.#batch === batch) this.#batch = undefined
      return this.#deliver(lines)
    })
    return batch
  }

  async #deliver(lines: readonly string[]): Promise<void> {
    try {
      await this.#send(lines)
    } catch (error) {
      console.error(`audit events were not sent (${this.name}):`, error)
      this.#failed(lines.length)
    }
  }
}

/** `2026/11/21/16/05-09.123-….jsonl`: objects of an hour are found by their prefix. */
function bucketKey(now: Date): string {
  const [day = '', time = ''] = now.toISOString().split('T')
  const [hour = '', minute = '', second = ''] = time.replace('Z', '').split(':')
  return `${day.replaceAll('-', '/')}/${hour}/${minute}-${second}-${newUid()}.jsonl`
}

/** An R2 bucket: an object of JSON lines for each batch. */
export function bucketSink(bucket: AuditBucket, failed: (lines: number) => void): Sink {
  return new BatchingSink(
    { name: 'bucket', maximumCharacters: 1_000_000, lines: 1000, characters: 4_000_000 },
    (lines) => bucket.put(bucketKey(new Date()), `${lines.join('\n')}\n`),
    failed,
  )
}

/** A queue: a message for each event. Its messages hold 128 KB, a batch 100 messages and 256 KB. */
export function queueSink(queue: AuditQueue, failed: (lines: number) => void): Sink {
  return new BatchingSink(
    { name: 'queue', maximumCharacters: 40_000, lines: 100, characters: 80_000 },
    (lines) => queue.sendBatch(lines.map((body) => ({ body, contentType: 'text' as const }))),
    failed,
  )
}
