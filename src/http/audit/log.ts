/** A deployment's audit log: what is recorded, and where it goes. */
import type { Attributes } from '../../auth/attributes.ts'
import type { User } from '../../meta/user.ts'
import { type AuditEvent, eventLine } from './event.ts'
import type { AuditPolicy, Level, Recording } from './policy.ts'
import type { Sink } from './sinks.ts'

/** Counts what is recorded. */
export interface AuditCounters {
  /** A request was found to be recorded so, or not at all. */
  level(level: Level): void
  event(): void
}

export class AuditLog {
  readonly #policy: AuditPolicy
  readonly #sinks: readonly Sink[]
  readonly #counters: AuditCounters

  constructor(policy: AuditPolicy, sinks: readonly Sink[], counters: AuditCounters) {
    this.#policy = policy
    this.#sinks = sinks
    this.#counters = counters
  }

  /** @param user undefined for a request that could not be authenticated */
  recordingOf(user: User | undefined, asked: Attributes): Recording {
    const recording = this.#policy.evaluate(user, asked)
    this.#counters.level(recording.level)
    return recording
  }

  /** Hands an event to the sinks. Never throws. */
  write(event: AuditEvent, waitUntil: (work: Promise<unknown>) => void): void {
    this.#counters.event()
    const whole = eventLine(event)
    for (const sink of this.#sinks) {
      const line = whole.length <= sink.maximumCharacters ? whole : eventLine(withoutObjects(event))
      try {
        sink.write(line, waitUntil)
      } catch (error) {
        console.error(`an audit event was not written (${sink.name}):`, error)
      }
    }
  }
}

/** As apiserver's audit backends cut what is too large for them. */
function withoutObjects({ requestObject: _request, responseObject: _response, ...event }: AuditEvent): AuditEvent {
  return { ...event, annotations: { ...event.annotations, 'audit.k8s.io/truncated': 'true' } }
}
