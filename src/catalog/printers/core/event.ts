/** How Events are shown: as they are stored, in core/v1. */

import type { JsonObject } from '../../../go/json-value.ts'
import { trimSpace } from '../../../go/text.ts'
import { fieldOf, NAME, nameOf, printer } from '../column.ts'
import { age, textOr } from '../format.ts'
import { child, has, number, text } from '../read.ts'

/** Events of the new kind have only the time of the first. */
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

export const events = printer([
  { name: 'Last Seen', description: fieldOf('core/v1.Event', 'lastTimestamp'), cell: lastSeen },
  { name: 'Type', description: fieldOf('core/v1.Event', 'type'), cell: (event) => text(event, 'type') },
  { name: 'Reason', description: fieldOf('core/v1.Event', 'reason'), cell: (event) => text(event, 'reason') },
  { name: 'Object', description: fieldOf('core/v1.Event', 'involvedObject'), cell: involvedObject },
  {
    name: 'Subobject',
    priority: 1,
    description: fieldOf('core/v1.ObjectReference', 'fieldPath'),
    cell: (event) => text(child(event, 'involvedObject'), 'fieldPath'),
  },
  { name: 'Source', priority: 1, description: fieldOf('core/v1.Event', 'source'), cell: source },
  {
    name: 'Message',
    description: fieldOf('core/v1.Event', 'message'),
    cell: (event) => trimSpace(text(event, 'message')),
  },
  { name: 'First Seen', priority: 1, description: fieldOf('core/v1.Event', 'firstTimestamp'), cell: firstSeen },
  { name: 'Count', priority: 1, description: fieldOf('core/v1.Event', 'count'), cell: count },
  { name: 'Name', format: 'name', priority: 1, description: NAME, cell: nameOf },
])
