/** The steps of generated sequences. */
import type { JsonObject, JsonValue } from '../../../src/go/json-value.ts'

/** A step of a scenario. */
export interface Step {
  readonly do?: string
  /** A pause in milliseconds, in place of a request. */
  readonly sleep?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: JsonValue
  readonly save?: Readonly<Record<string, string>>
  readonly ignore?: readonly string[]
  readonly until?: JsonObject
  readonly statusOnly?: boolean
}
