/**
 * Checks of Events, which are less strict for writes through core/v1. Follows ValidateEventCreate and ValidateEventUpdate of
 * k8s.io/kubernetes/pkg/apis/core/validation.
 */

import { utf8Length } from '../../../go/text.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateObjectMeta, validateObjectMetaUpdate, validateStandardFinalizers } from '../../../meta/object-meta-validation.ts'
import type { Event } from '../../generated/types/core.v1.ts'
import { internalJson } from '../../internal-json.ts'
import type { Kind } from '../../kind.ts'
import { type Errors, isSame, validator } from '../checks.ts'

const longestText = 128
const longestNote = 1024

function checkLength(text: string, most: number, field: string, errors: Errors): void {
  if (utf8Length(text) > most) errors.invalid(field, '', `can have at most ${most} characters`)
}

function checkGiven(text: string, field: string, errors: Errors): void {
  if (text === '') errors.required(field)
  checkLength(text, longestText, field, errors)
}

/** Validates the fields that an Event with eventTime must have. */
function checkTimed(event: Event, controllerField: string, errors: Errors): void {
  const { reportingComponent, reportingInstance, action = '', reason = '', message = '' } = event
  if (reportingComponent === '') errors.required(controllerField)
  errors.checkQualifiedName(reportingComponent, controllerField)
  checkGiven(reportingInstance, 'reportingInstance', errors)
  checkGiven(action, 'action', errors)
  checkGiven(reason, 'reason', errors)
  checkLength(message, longestNote, 'message', errors)
}

/**
 * Whether the Event is in the namespace of its involved object. Events about cluster-scoped objects are in the namespaces listed
 * here.
 */
function isPlaced({ metadata, involvedObject, eventTime }: Event): boolean {
  const { namespace = '' } = involvedObject
  if (namespace === '') {
    const homes = eventTime === null ? ['', 'default'] : ['default', 'kube-system']
    return homes.includes(metadata.namespace ?? '')
  }
  return eventTime !== null || namespace === metadata.namespace
}

/** Whether a version does not have the rules of events.k8s.io/v1. */
const isLegacy = ({ apiVersion }: Kind): boolean => apiVersion !== 'events.k8s.io/v1'

/** Validates the fields of every Event (legacyValidateEvent). */
function checkEvent(event: Event, kind: Kind, errors: Errors): void {
  if (!isPlaced(event)) {
    const { namespace = '' } = event.involvedObject
    errors.invalid('involvedObject.namespace', namespace, 'does not match event.namespace')
  }
  if (event.eventTime !== null) checkTimed(event, kind.group === '' ? 'reportingComponent' : 'reportingController', errors)
  errors.checkDnsSubdomain(event.metadata.namespace ?? '', 'namespace')
}

function checkSeries({ series }: Event, errors: Errors): void {
  if (series === undefined) return
  if ((series.count ?? 0) < 2) errors.invalid('series.count', '', 'should be at least 2')
  if ((series.lastObservedTime ?? null) === null) errors.required('series.lastObservedTime')
}

/** Validates a new Event of events.k8s.io: the deprecated fields must not be set. */
function checkNew(event: Event, errors: Errors): void {
  const { metadata, eventTime, type = '', source = {} } = event
  errors.push(...validateObjectMeta(metadata, { namespaced: true, validateName: nameIsDnsSubdomain }))
  errors.push(...validateStandardFinalizers(metadata.finalizers ?? [], 'metadata.finalizers'))
  checkSeries(event, errors)
  if (eventTime === null) errors.required('eventTime')
  if (type !== 'Normal' && type !== 'Warning') errors.invalid('type', '', `has invalid value: ${type}`)
  const unset = 'needs to be unset'
  if (event.firstTimestamp !== null) errors.invalid('firstTimestamp', '', unset)
  if (event.lastTimestamp !== null) errors.invalid('lastTimestamp', '', unset)
  if ((event.count ?? 0) !== 0) errors.invalid('count', '', unset)
  if ((source.component ?? '') !== '' || (source.host ?? '') !== '') errors.invalid('source', '', unset)
}

/** The immutable fields, in the order of the messages, each with its name in the message and its value if it is absent. */
const fixed: readonly (readonly [field: keyof Event & string, reported: string, empty: unknown, type?: string])[] = [
  ['involvedObject', 'involvedObject', {}, 'ObjectReference'],
  ['reason', 'reason', ''],
  ['message', 'message', ''],
  ['source', 'source', {}, 'EventSource'],
  ['firstTimestamp', 'firstTimestamp', null],
  ['lastTimestamp', 'lastTimestamp', null],
  ['count', 'count', 0],
  ['reason', 'reason', ''],
  ['type', 'type', ''],
  ['eventTime', 'eventTime', null],
  ['action', 'action', ''],
  ['related', 'related', null, '*ObjectReference'],
  ['reportingComponent', 'reportingController', ''],
  ['reportingInstance', 'reportingInstance', ''],
]

function checkFixed(event: Event, old: Event, errors: Errors): void {
  for (const [field, reported, empty, type] of fixed) {
    const [now, before] = [event[field] ?? empty, old[field] ?? empty].map((value) =>
      type === undefined ? value : internalJson(type, value),
    )
    errors.checkImmutable(now, before, reported)
  }
}

/** Validates a new Event. */
export const validateEvent = validator((errors, event: Event, kind: Kind) => {
  checkEvent(event, kind, errors)
  if (!isLegacy(kind)) checkNew(event, errors)
})

/** Validates an update of an Event. Through events.k8s.io only its series may change. */
export const validateEventUpdate = validator((errors, event: Event, old: Event, kind: Kind) => {
  checkEvent(event, kind, errors)
  if (isLegacy(kind)) return
  const { metadata } = event
  errors.push(...validateObjectMetaUpdate(metadata, old.metadata))
  errors.push(...validateStandardFinalizers(metadata.finalizers ?? [], 'metadata.finalizers'))
  if (!isSame(event.series, old.series)) checkSeries(event, errors)
  checkFixed(event, old, errors)
})
