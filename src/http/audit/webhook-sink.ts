/** The audit webhook as a destination of events: in batches, or while requests wait. */

import type { AuditWebhookConfiguration, BatchLimits } from '../../auth/webhook/audit-webhook.ts'
import { logError } from '../../meta/log.ts'
import { TokenBuckets } from '../../meta/token-buckets.ts'
import { BatchingSink, type Sink } from './sinks.ts'
import type { AuditWebhookClient } from './webhook-client.ts'

const name = 'webhook'

/** Sends every event by itself. The request waits for it. */
class BlockingSink implements Sink {
  readonly name = name
  readonly maximumCharacters: number
  readonly #client: AuditWebhookClient
  readonly #mode: AuditWebhookConfiguration['mode']
  readonly #failed: (lines: number) => void

  constructor(client: AuditWebhookClient, { mode, truncation }: AuditWebhookConfiguration, failed: (lines: number) => void) {
    this.#client = client
    this.#mode = mode
    this.maximumCharacters = truncation?.event ?? Number.POSITIVE_INFINITY
    this.#failed = failed
  }

  async write(line: string): Promise<boolean> {
    try {
      if (line.length > this.maximumCharacters) throw new Error('event is too large even after truncating')
      await this.#client.send([line])
      return true
    } catch (error) {
      logError('an audit event was not sent (webhook)', error)
      this.#failed(1)
      return this.#mode !== 'blocking-strict'
    }
  }
}

/** Limits the batches per second, and the events that wait. */
class Queue {
  readonly #limits: BatchLimits
  readonly #buckets: TokenBuckets | undefined
  #waiting = 0

  constructor(limits: BatchLimits) {
    this.#limits = limits
    this.#buckets = limits.throttle && new TokenBuckets(limits.throttle, 1)
  }

  /** Takes the place of one event. @returns whether there was one */
  enter(): boolean {
    if (this.#waiting >= this.#limits.buffer) return false
    this.#waiting++
    return true
  }

  /** Waits until a batch may be sent. Its events leave the queue. */
  async turn(events: number): Promise<void> {
    for (let seconds = 1; seconds > 0; ) {
      seconds = this.#buckets?.take(name, Date.now()) ?? 0
      if (seconds > 0) await new Promise((done) => setTimeout(done, seconds * 1000))
    }
    this.#waiting -= events
  }
}

/** Sends events in batches, in the background. */
class QueuedSink implements Sink {
  readonly name = name
  readonly maximumCharacters: number
  readonly #queue: Queue
  readonly #sink: BatchingSink
  readonly #failed: (lines: number) => void

  constructor(client: AuditWebhookClient, { batch, truncation }: AuditWebhookConfiguration, failed: (lines: number) => void) {
    this.maximumCharacters = truncation?.event ?? Number.POSITIVE_INFINITY
    this.#queue = new Queue(batch)
    this.#failed = failed
    const characters = truncation?.batch ?? Number.POSITIVE_INFINITY
    const send = async (lines: readonly string[]): Promise<void> => {
      await this.#queue.turn(lines.length)
      await client.send(lines)
    }
    const bounds = { name, maximumCharacters: this.maximumCharacters, lines: batch.events, characters }
    this.#sink = new BatchingSink(bounds, send, failed, batch.wait)
  }

  write(line: string, waitUntil: (work: Promise<unknown>) => void): undefined {
    if (line.length > this.maximumCharacters) this.#lost('event is too large even after truncating')
    else if (!this.#queue.enter()) this.#lost('audit buffer queue blocked')
    else this.#sink.write(line, waitUntil)
  }

  #lost(why: string): void {
    logError('an audit event was not sent (webhook)', new Error(why))
    this.#failed(1)
  }
}

/** Returns the sink of an audit webhook. @param failed counts lost events */
export function webhookSink(
  client: AuditWebhookClient,
  configuration: AuditWebhookConfiguration,
  failed: (lines: number) => void,
): Sink {
  const { mode } = configuration
  return mode === 'batch' ? new QueuedSink(client, configuration, failed) : new BlockingSink(client, configuration, failed)
}
