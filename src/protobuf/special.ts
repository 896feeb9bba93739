/**
 * Types whose JSON is not that of their message: what the message carries, and the JSON value that it stands for.
 * Follows the MarshalJSON and the hand-written Unmarshal methods of k8s.io/apimachinery and apiextensions-apiserver.
 */

import { formatDuration, parseDuration } from '../go/duration.ts'
import { isRawNumber, parseJson, rawNumber, stringify } from '../go/json.ts'
import { JsonSyntaxError } from '../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { formatMicroTime, formatTime, type Instant, isZeroTime, parseTime, RFC3339, RFC3339_MICRO } from '../go/time.ts'
import type { FieldTable } from '../schema/tables.ts'
import { WireError } from './wire.ts'

/** A message, and how it becomes JSON. `parts` holds what is on the wire, by the names of `fields`. */
export interface SpecialMessage {
  /** As errors name the message. */
  readonly name: string
  readonly fields: { readonly [part: string]: FieldTable }
  readonly toJson: (parts: JsonObject) => JsonValue
  /** Undefined: the message is empty, and not even zero values stand in it. */
  readonly fromJson: (value: JsonValue) => JsonObject | undefined
  /** What is null in JSON is not on the wire, as with a pointer. */
  readonly nullable?: true
}

/** The years that a Time can be written with: 0 to 9999. */
const MIN_SECONDS = -62_167_219_200
const MAX_SECONDS = 253_402_300_799

/** kube-apiserver takes other years too, and then stores a time that no client can read. */
function checkYear(seconds: JsonValue): number {
  if (typeof seconds === 'number' && seconds >= MIN_SECONDS && seconds <= MAX_SECONDS) return seconds
  throw new WireError('Time.MarshalJSON: year outside of range [0,9999]')
}

/** Nanoseconds may be those of other seconds, as in Go's time.Unix. */
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

/** Fractions of a second are not read: its JSON has none. */
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

/** Times as they are stored, in UTC and without a fraction, are what Date reads too, and faster. */
function secondsOf(text: string): number {
  const milliseconds = text.length === 20 ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? parseTime(text, RFC3339).seconds : milliseconds / 1000
}

function timeFromJson(value: JsonValue): JsonObject | undefined {
  if (value === null) return undefined
  const instant = { seconds: secondsOf(String(value)), nanoseconds: 0 }
  return isZeroTime(instant) ? undefined : { seconds: instant.seconds }
}

/** The same with a fraction of six digits. */
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
 * kube-apiserver crashes on bytes that are no JSON when it writes the answer, and ignores managed fields with such bytes. Here
 * the first of them end the reading, because to find out what is wrong with very many takes too long.
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

const rawFromJson = (value: JsonValue): JsonObject | undefined => (value === null ? undefined : { raw: stringify(value) })

const isFilled = (value: JsonValue | undefined): value is JsonValue[] => Array.isArray(value) && value.length > 0

const timestamp = { seconds: { type: 'int64', protobuf: 1 }, nanos: { type: 'int32', protobuf: 2 } } as const

const schema = { type: '*apiextensions/v1.JSONSchemaProps', protobuf: 1 } as const

/** Bytes that are JSON are read as text; none at all differ from empty ones. */
const raw = { raw: { type: '*string', protobuf: 1 } } as const

const schemaOr =
  (other: string) =>
  (value: JsonValue): JsonObject =>
    value === null ? {} : { [Array.isArray(value) ? other : 'schema']: value }

/** By the type as the tables name it. */
export const specialMessages: { readonly [reference: string]: SpecialMessage } = {
  'meta/v1.Time': { name: 'Timestamp', fields: timestamp, toJson: timeToJson, fromJson: timeFromJson },
  'meta/v1.MicroTime': { name: 'Timestamp', fields: timestamp, toJson: microTimeToJson, fromJson: microTimeFromJson },
  'meta/v1.Duration': {
    name: 'Duration',
    fields: { duration: { type: 'int64', protobuf: 1 } },
    toJson: durationToJson,
    fromJson: (value) => ({ duration: rawNumber(parseDuration(String(value)).toString()) }),
  },
  'meta/v1.FieldsV1': { name: 'FieldsV1', fields: raw, toJson: jsonToJson, fromJson: rawFromJson },
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
