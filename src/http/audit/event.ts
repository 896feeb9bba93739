/** The Event of audit.k8s.io/v1, written as one line of JSON: fields in Go's order, empty fields left out. */

import type { JsonObject } from '../../go/json-value.ts'
import { rfc3339Micro } from '../../go/time.ts'
import type { StatusDetails } from '../../meta/errors.ts'
import type { User } from '../../meta/user.ts'
import type { Level, Stage } from './policy.ts'

/** The ObjectReference of an audit event. */
export interface ObjectReference {
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly apiGroup: string
  readonly apiVersion: string
  readonly resourceVersion: string
  readonly subresource: string
}

/** The fields of a Status that are recorded at every level. */
export interface ResponseStatus {
  readonly status?: string
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code: number
}

export interface AuditEvent {
  readonly level: Level
  readonly auditID: string
  readonly stage: Stage
  readonly requestURI: string
  readonly verb: string
  /** Undefined if the request could not be authenticated. */
  readonly user: User | undefined
  readonly impersonatedUser: User | undefined
  readonly sourceIPs: readonly string[]
  readonly userAgent: string
  readonly objectRef: ObjectReference | undefined
  readonly responseStatus: ResponseStatus | undefined
  /** JSON text. */
  readonly requestObject?: string | undefined
  readonly responseObject?: string | undefined
  /** Milliseconds since the epoch. */
  readonly requestReceivedAt: number
  readonly stageAt: number
  readonly annotations: Readonly<Record<string, string>>
}

/** Returns the fields that are not empty. */
function filled(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
}

function userOf(user: User | undefined): JsonObject {
  if (user === undefined) return {}
  const { name, uid, groups, extra } = user
  const fields = filled({ username: name, uid, groups, extra: Object.keys(extra).length === 0 ? undefined : extra })
  return fields as JsonObject
}

function sorted(annotations: Readonly<Record<string, string>>): Record<string, string> | undefined {
  const keys = Object.keys(annotations).sort()
  return keys.length === 0 ? undefined : Object.fromEntries(keys.map((key) => [key, annotations[key] ?? '']))
}

/** Writes an event as one line of JSON. `requestObject` and `responseObject` are inserted as they are. */
export function eventLine(event: AuditEvent): string {
  const { objectRef, responseStatus, impersonatedUser, requestObject, responseObject } = event
  const before = filled({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: event.level,
    auditID: event.auditID,
    stage: event.stage,
    requestURI: event.requestURI,
    verb: event.verb,
    user: userOf(event.user),
    impersonatedUser: impersonatedUser && userOf(impersonatedUser),
    sourceIPs: event.sourceIPs,
    userAgent: event.userAgent,
    objectRef: objectRef && filled({ ...objectRef }),
    responseStatus: responseStatus && { metadata: {}, ...responseStatus },
  })
  const after = filled({
    requestReceivedTimestamp: rfc3339Micro(event.requestReceivedAt),
    stageTimestamp: rfc3339Micro(event.stageAt),
    annotations: sorted(event.annotations),
  })
  const objects = [
    ...(requestObject === undefined ? [] : [`"requestObject":${requestObject}`]),
    ...(responseObject === undefined ? [] : [`"responseObject":${responseObject}`]),
  ]
  return `{${[JSON.stringify(before).slice(1, -1), ...objects, JSON.stringify(after).slice(1, -1)].join(',')}}`
}
