/**
 * The last-applied annotation of kubectl's client-side apply, which server-side apply reads and updates. Follows
 * lastAppliedManager and lastAppliedUpdater of apimachinery's managedfields.
 */

import { parseJson } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import { JsonSyntaxError } from '../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { compareText, escapeHtml, utf8Length } from '../go/text.ts'
import { ApiError } from '../meta/errors.ts'
import type { Type } from '../schema/type.ts'
import { compare } from './compare.ts'
import type { PathSet } from './path-set.ts'
import { difference } from './path-set.ts'
import { fieldSet } from './typed.ts'
import { validationErrors } from './validate.ts'
import { own } from './value.ts'

/** The field manager for which the annotation is used. */
export const KUBECTL = 'kubectl'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** The maximum size of all annotations of an object in bytes. */
const MAX_ANNOTATION_BYTES = 256 * 1024

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const metadata = own(object, 'metadata') ?? null
  const annotations = (isObject(metadata) && own(metadata, 'annotations')) || null
  return isObject(annotations) ? annotations : undefined
}

function lastAppliedOf(object: JsonObject): string {
  const annotations = annotationsOf(object)
  const text = (annotations && own(annotations, LAST_APPLIED)) ?? ''
  return typeof text === 'string' ? text : ''
}

function parseConfiguration(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) && typeof own(value, 'kind') === 'string' ? value : undefined
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

/**
 * Returns the fields of the last client-side apply that the object still has; undefined if the object has no such annotation or
 * an unusable one.
 */
export function allowedByLastApplied(type: Type, apiVersion: string, live: JsonObject): PathSet | undefined {
  const configuration = parseConfiguration(lastAppliedOf(live))
  if (configuration === undefined || own(configuration, 'apiVersion') !== apiVersion) return undefined
  if (validationErrors(type, configuration) !== undefined || validationErrors(type, live) !== undefined) return undefined
  try {
    const { added, modified, removed } = compare(type, configuration, live)
    return difference(difference(difference(fieldSet(type, configuration), modified), added), removed)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** Serializes a value as Go's JSON with sorted keys and HTML escapes. */
function sortedJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).sort(compareText)
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sortedJson(own(value, key) ?? null)}`).join(',')}}`
}

/** Returns the configuration's text for the annotation, without the annotation itself. */
function annotationText(configuration: JsonObject): string {
  const annotations = annotationsOf(configuration)
  if (annotations === undefined) return `${escapeHtml(sortedJson(configuration))}\n`
  const { [LAST_APPLIED]: _, ...others } = annotations
  const metadata = { ...(configuration.metadata as JsonObject), annotations: others }
  return `${escapeHtml(sortedJson({ ...configuration, metadata }))}\n`
}

/**
 * Updates the annotation to the configuration that kubectl has just applied. Returns the object itself if it has no annotation or
 * another manager applies. An annotation that would be too large is removed.
 */
export function withLastApplied(object: JsonObject, configuration: JsonObject, manager: string): JsonObject {
  if (manager !== KUBECTL || lastAppliedOf(object) === '') return object
  const { [LAST_APPLIED]: before, ...others } = annotationsOf(object) ?? {}
  const text = annotationText(configuration)
  if (before === text) return object
  let size = utf8Length(LAST_APPLIED) + utf8Length(text)
  for (const [key, value] of Object.entries(others)) size += utf8Length(key) + utf8Length(String(value))
  const annotations = size > MAX_ANNOTATION_BYTES ? others : { ...others, [LAST_APPLIED]: text }
  return { ...object, metadata: { ...(object.metadata as JsonObject), annotations } }
}
