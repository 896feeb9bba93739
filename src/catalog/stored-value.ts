/** Stored values: the JSON of objects without apiVersion and kind, with their metadata first. */
import { endOfValue } from '../go/json-members.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'

/** The first characters of every value. */
const beginning = '{"metadata":'

/** Returns the JSON of a value's metadata without parsing the object. */
export function metadataText(value: string): string {
  return value.slice(beginning.length, endOfValue(value, beginning.length))
}

/** Returns the metadata in the order in which Go encodes it, with this resourceVersion; '' leaves it out. */
export function orderedMetadata(meta: ObjectMeta, resourceVersion: string): ObjectMeta {
  const out: ObjectMeta = {}
  if (meta.name !== undefined) out.name = meta.name
  if (meta.generateName !== undefined) out.generateName = meta.generateName
  if (meta.namespace !== undefined) out.namespace = meta.namespace
  if (meta.selfLink !== undefined) out.selfLink = meta.selfLink
  if (meta.uid !== undefined) out.uid = meta.uid
  if (resourceVersion !== '') out.resourceVersion = resourceVersion
  if (meta.generation !== undefined && meta.generation !== 0) out.generation = meta.generation
  if (meta.creationTimestamp !== undefined) out.creationTimestamp = meta.creationTimestamp
  if (meta.deletionTimestamp !== undefined) out.deletionTimestamp = meta.deletionTimestamp
  if (meta.deletionGracePeriodSeconds !== undefined) out.deletionGracePeriodSeconds = meta.deletionGracePeriodSeconds
  if (meta.labels !== undefined) out.labels = meta.labels
  if (meta.annotations !== undefined) out.annotations = meta.annotations
  if (meta.ownerReferences !== undefined) out.ownerReferences = meta.ownerReferences
  if (meta.finalizers !== undefined && meta.finalizers.length > 0) out.finalizers = meta.finalizers
  if (meta.managedFields !== undefined && meta.managedFields.length > 0) out.managedFields = meta.managedFields
  return out
}
