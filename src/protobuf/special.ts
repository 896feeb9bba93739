/**
 * Types whose JSON differs from their message, with the conversions between both. Follows the MarshalJSON and the hand-written
 * Unmarshal methods of k8s.io/apimachinery and apiextensions-apiserver.
 */

import { formatDuration, parseDuration } from '../go/duration.ts'
import { isRawNumber, parseJson, rawNumber, stringify } from '../go/json.ts'
import { structJson } from '../go/json-sorted.ts'
import { JsonSyntaxError } from '../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { formatMicroTime, formatTime, type Instant, isZeroTime, parseTime, RFC3339, RFC3339_MICRO } from '../go/time.ts'
import type { FieldTable } from '../schema/tables.ts'
import { WireError } from './wire.ts'

/** A message and its conversions. `parts` are the values on the wire, by the names of `fields`. */
export interface SpecialMessage {
  /** The message's name in errors. */
  readonly name: string
  readonly fields: { readonly [part: string]: FieldTable }
  readonly toJson: (parts: JsonObject) => JsonValue
  /** Returns undefined for an empty message, without even zero values. */
  readonly fromJson: (value: JsonValue) => JsonObject | undefined
  /** Whether null in JSON is not written, as for a pointer. */
  readonly nullable?: true
}

/** The range of times with a year from 0 to 9999, which RFC 3339 can represent. */
const MIN_SECONDS = -62_167_219_200
const MAX_SECONDS = 253_402_300_799

/** Rejects other years. kube-apiserver accepts them, and then stores a time that no client can read. */
function checkYear(seconds: JsonValue): number {
  if (typeof seconds === 'number' && seconds >= MIN_SECONDS && seconds <= MAX_SECONDS) return seconds
  throw new WireError('Time.MarshalJSON: year outside of range [0,9999]')
}

/** Nanoseconds may exceed a second, as in Go's time.Unix. */
function instantOf(parts: JsonObject, precision: number): Instant {
  const nanos = Math.trunc(Number(parts.nanos ?? 0) / precision) * precision
  const carried = Math.floor(nanos / 1e9)
  const seconds = checkYear(parts.seconds ?? 0) + carried
  return { seconds: checkYear(seconds), nanoseconds: nanos - carried * 1e9 }
}

const isEmpty = (parts: JsonObject): boolean => {
  for (const _ in parts) return false
  return true
}

/** Ignores fractions of a second, which the JSON does not have. */
function timeToJson(parts: JsonObject): JsonValue {
  if (isEmpty(parts)) return null
  const instant = { seconds: checkYear(parts.seconds ?? 0), nanoseconds: 0 }
  return isZeroTime(instant) ? null : formatTime(instant)
}

function microTimeToJson(parts: JsonObject): JsonValue {
  if (isEmpty(parts)) return null
  const instant = instantOf(parts, 1000)
  return isZeroTime(instant) ? null : formatMicroTime(instant)
}

/** Parses a stored time, in UTC without a fraction, by Date.parse, which is faster than parseTime. */
function secondsOf(text: string): number {
  const milliseconds = text.length === 20 ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? parseTime(text, RFC3339).seconds : milliseconds / 1000
}

function timeFromJson(value: JsonValue): JsonObject | undefined {
  if (value === null) return undefined
  const instant = { seconds: secondsOf(String(value)), nanoseconds: 0 }
  return isZeroTime(instant) ? undefined : { seconds: instant.seconds }
}

/** Parses a stored time with a fraction of six digits. */
function microInstantOf(text: string): Instant {
  const milliseconds = text.length === 27 ? Date.parse(`${text.slice(0, 19)}Z`) : Number.NaN
  const microseconds = Number(text.slice(20, 26))
  if (Number.isNaN(milliseconds + microseconds)) return parseTime(text, RFC3339_MICRO)
  return { seconds: milliseconds / 1000, nanoseconds: microseconds * 1000 }
}

function microTimeFromJson(value: JsonValue): JsonObject | undefined {
  if (value === null) return undefined
  const instant = microInstantOf(String(value))
  return isZeroTime(instant) ? undefined : { seconds: instant.seconds, nanos: instant.nanoseconds }
}

function durationToJson({ duration = 0 }: JsonObject): JsonValue {
  return formatDuration(BigInt(isRawNumber(duration) ? duration.rawJSON : Number(duration)))
}

function intOrStringToJson({ type = 0, intVal = 0, strVal = '' }: JsonObject): JsonValue {
  if (type === 0) return intVal
  if (type === 1) return strVal
  throw new WireError('impossible IntOrString.Type')
}

/**
 * Parses JSON inside a message. For invalid JSON, kube-apiserver panics when it writes the response, and ignores such managed
 * fields. This server rejects the message at the first one, because the errors of very many would take too long.
 */
function embeddedJson(text: string): JsonValue {
  try {
    return parseJson(text, 'verbatim')
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new WireError(error.message)
    throw error
  }
}

const rawExtensionToJson = ({ raw }: JsonObject): JsonValue => (raw === undefined ? null : embeddedJson(String(raw)))

const jsonToJson = ({ raw = '' }: JsonObject): JsonValue => (raw === '' ? null : embeddedJson(String(raw)))

const fieldsFromJson = (value: JsonValue): JsonObject | undefined => (value === null ? undefined : { raw: stringify(value) })

/** Controllers compare the bytes of a ControllerRevision with those that Go's encoder makes, with escapes for HTML. */
const rawFromJson = (value: JsonValue): JsonObject | undefined => (value === null ? undefined : { raw: structJson(value) })

const isFilled = (value: JsonValue | undefined): value is JsonValue[] => Array.isArray(value) && value.length > 0

const timestamp = { seconds: { type: 'int64', protobuf: 1 }, nanos: { type: 'int32', protobuf: 2 } } as const

const schema = { type: '*apiextensions/v1.JSONSchemaProps', protobuf: 1 } as const

/** Bytes that contain JSON are read as text. Absent bytes differ from empty ones. */
const raw = { raw: { type: '*string', protobuf: 1 } } as const

const schemaOr =
  (other: string) =>
  (value: JsonValue): JsonObject =>
    value === null ? {} : { [Array.isArray(value) ? other : 'schema']: value }

/** The special messages by type reference, as in the tables. */
export const specialMessages: { readonly [reference: string]: SpecialMessage } = {
  'meta/v1.Time': { name: 'Timestamp', fields: timestamp, toJson: timeToJson, fromJson: timeFromJson },
  'meta/v1.MicroTime': { name: 'Timestamp', fields: timestamp, toJson: microTimeToJson, fromJson: microTimeFromJson },
  'meta/v1.Duration': {
    name: 'Duration',
    fields: { duration: { type: 'int64', protobuf: 1 } },
    toJson: durationToJson,
    fromJson: (value) => ({ duration: rawNumber(parseDuration(String(value)).toString()) }),
  },
  'meta/v1.FieldsV1': { name: 'FieldsV1', fields: raw, toJson: jsonToJson, fromJson: fieldsFromJson },
  'resource.Quantity': {
    name: 'Quantity',
    fields: { string: { type: 'string', protobuf: 1 } },
    toJson: ({ string = '0' }) => string,
    fromJson: (string) => ({ string }),
  },
  'intstr.IntOrString': {
    name: 'IntOrString',
    fields: {
      type: { type: 'int64', protobuf: 1 },
      intVal: { type: 'int32', protobuf: 2 },
      strVal: { type: 'string', protobuf: 3 },
    },
    toJson: intOrStringToJson,
    fromJson: (value) => (typeof value === 'string' ? { type: 1, strVal: value } : { intVal: value }),
  },
  'runtime.RawExtension': { name: 'RawExtension', fields: raw, toJson: rawExtensionToJson, fromJson: rawFromJson },
  'apiextensions/v1.JSON': { name: 'JSON', fields: raw, toJson: jsonToJson, fromJson: rawFromJson },
  'apiextensions/v1.JSONSchemaPropsOrArray': {
    name: 'JSONSchemaPropsOrArray',
    fields: { schema, jSONSchemas: { type: '[]apiextensions/v1.JSONSchemaProps', protobuf: 2 } },
    toJson: (parts) => (isFilled(parts.jSONSchemas) ? parts.jSONSchemas : (parts.schema ?? null)),
    fromJson: schemaOr('jSONSchemas'),
  },
  'apiextensions/v1.JSONSchemaPropsOrBool': {
    name: 'JSONSchemaPropsOrBool',
    fields: { allows: { type: 'bool', protobuf: 1 }, schema: { ...schema, protobuf: 2 } },
    toJson: (parts) => parts.schema ?? parts.allows ?? false,
    fromJson: (value) => (typeof value === 'boolean' ? { allows: value } : { allows: true, schema: value }),
  },
  'apiextensions/v1.JSONSchemaPropsOrStringArray': {
    name: 'JSONSchemaPropsOrStringArray',
    fields: { schema, property: { type: '[]string', protobuf: 2 } },
    toJson: (parts) => (isFilled(parts.property) ? parts.property : (parts.schema ?? null)),
    fromJson: schemaOr('property'),
  },
}
