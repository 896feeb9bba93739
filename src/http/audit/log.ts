/** The audit log of a deployment: evaluates the policy and writes events to the sinks. */
import type { Attributes } from '../../auth/attributes.ts'
import { logError } from '../../meta/log.ts'
import type { User } from '../../meta/user.ts'
import { type AuditEvent, eventLine } from './event.ts'
import type { AuditPolicy, Level, Recording } from './policy.ts'
import type { Sink } from './sinks.ts'

/** Metrics of the audit log. */
export interface AuditCounters {
  /** Counts a request by the level that the policy gives it; also `None`. */
  level(level: Level): void
  event(): void
  /** Counts a request that failed because its event could not be stored. */
  rejected(): void
}

/**
 * Evaluates the audit policy and writes events to all sinks.
 * @example
 * const log = new AuditLog(readAuditPolicy(text), [consoleSink], metrics)
 * const { level } = log.recordingOf(user, attributes)
 * if (level !== 'None') log.write(event, (work) => context.waitUntil(work))
 */
export class AuditLog {
  readonly #policy: AuditPolicy
  readonly #sinks: readonly Sink[]
  readonly #counters: AuditCounters

  constructor(policy: AuditPolicy, sinks: readonly Sink[], counters: AuditCounters) {
    this.#policy = policy
    this.#sinks = sinks
    this.#counters = counters
  }

  /** Evaluates the policy for a request. @param user undefined if the request could not be authenticated */
  recordingOf(user: User | undefined, attributes: Attributes): Recording {
    const recording = this.#policy.evaluate(user, attributes)
    this.#counters.level(recording.level)
    return recording
  }

  /** Counts a request that failed because its event could not be stored. */
  rejected(): void {
    this.#counters.rejected()
  }

  /**
   * Writes an event to all sinks, without its objects if it is too long for the sink. Never throws.
   * @returns whether the request may go on, for sinks for which requests wait; undefined if there are no such sinks
   */
  write(event: AuditEvent, waitUntil: (work: Promise<unknown>) => void): Promise<boolean> | undefined {
    this.#counters.event()
    const whole = eventLine(event)
    const waiting: Promise<boolean>[] = []
    for (const sink of this.#sinks) {
      const line = whole.length <= sink.maximumCharacters ? whole : eventLine(withoutObjects(event))
      try {
        const stored = sink.write(line, waitUntil)
        if (stored !== undefined) waiting.push(stored)
      } catch (error) {
        logError(`an audit event was not written (${sink.name})`, error)
      }
    }
    return waiting.length === 0 ? undefined : Promise.all(waiting).then((stored) => stored.every((one) => one))
  }
}

/** Drops the objects and marks the event as truncated, as apiserver's audit backends do with events that are too large. */
function withoutObjects({ requestObject: _request, responseObject: _response, ...event }: AuditEvent): AuditEvent {
  return { ...event, annotations: { ...event.annotations, 'audit.k8s.io/truncated': 'true' } }
}
