/** Table columns of Events in their stored version, core/v1. */
import type { JsonObject } from '../../../go/json-value.ts'
import { trimSpace } from '../../../go/text.ts'
import { nameOf, printersOf } from '../column.ts'
import { age, textOr } from '../format.ts'
import { child, has, number, text } from '../read.ts'

/** Returns the first time; Events of events.k8s.io/v1 have only `eventTime`. */
function firstSeen(event: JsonObject, now: number): string {
  return age(event, has(event, 'firstTimestamp') ? 'firstTimestamp' : 'eventTime', now)
}

function lastSeen(event: JsonObject, now: number): string {
  if (has(event, 'series')) return age(child(event, 'series'), 'lastObservedTime', now)
  return has(event, 'lastTimestamp') ? age(event, 'lastTimestamp', now) : firstSeen(event, now)
}

function count(event: JsonObject): number {
  return has(event, 'series') ? number(child(event, 'series'), 'count') : number(event, 'count') || 1
}

function involvedObject(event: JsonObject): string {
  const object = child(event, 'involvedObject')
  const name = text(object, 'name')
  return `${text(object, 'kind').toLowerCase()}${name === '' ? '' : `/${name}`}`
}

function source(event: JsonObject): string {
  const from = child(event, 'source')
  const component = textOr(from, 'component', text(event, 'reportingComponent'))
  const instance = textOr(from, 'host', text(event, 'reportingInstance'))
  return instance === '' ? component : `${component}, ${instance}`
}

export const events = printersOf({
  events: {
    'Last Seen': lastSeen,
    Type: (event) => text(event, 'type'),
    Reason: (event) => text(event, 'reason'),
    Object: involvedObject,
    Subobject: (event) => text(child(event, 'involvedObject'), 'fieldPath'),
    Source: source,
    Message: (event) => trimSpace(text(event, 'message')),
    'First Seen': firstSeen,
    Count: count,
    Name: nameOf,
  },
})
