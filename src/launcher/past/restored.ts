/** The form in which an object of the past is written back. */
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { cleaned, isServerFinalizer, isServerText, type Manifest, textAt } from '../transfer/manifest.ts'

/** The annotation by which `kubectl apply` knows what it has applied: it belongs to the state that comes back. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

const textsOf = (value: JsonValue | undefined): JsonObject => (isObject(value ?? null) ? (value as JsonObject) : {})

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : [])

/** Returns texts without those for which a condition holds; undefined if none are left. */
function textsWithout(texts: JsonValue | undefined, isLeftOut: (name: string) => boolean): JsonObject | undefined {
  const kept = Object.entries(textsOf(texts)).filter(([name]) => !isLeftOut(name))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** Returns the labels or annotations of the past, with those that servers and controllers keep up to date as they are now. */
function restoredTexts(former: JsonValue | undefined, present: JsonValue | undefined): JsonObject | undefined {
  const isKept = (name: string): boolean => isServerText(name) && name !== lastApplied
  const texts = { ...textsWithout(former, isKept), ...textsWithout(present, (name) => !isKept(name)) }
  return Object.keys(texts).length === 0 ? undefined : texts
}

/** Returns the finalizers of the past, with those that servers set as they are now. */
function restoredFinalizers(former: JsonValue | undefined, present: JsonValue | undefined): JsonValue[] | undefined {
  const finalizers = [
    ...listOf(former).filter((one) => !isServerFinalizer(String(one))),
    ...listOf(present).filter((one) => isServerFinalizer(String(one))),
  ]
  return finalizers.length === 0 ? undefined : finalizers
}

/** Returns an object without the fields of metadata that are undefined. */
const withMetadata = (object: Manifest, metadata: Readonly<Record<string, JsonValue | undefined>>): Manifest => ({
  ...object,
  metadata: Object.fromEntries(
    Object.entries({ ...object.metadata, ...metadata }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ),
})

/** Returns an object that was deleted, to be created again. */
export function recreated(former: Manifest): Manifest {
  const object = cleaned(former)
  return withMetadata(object, { annotations: restoredTexts(former.metadata.annotations, undefined) })
}

/**
 * Returns an object with the fields of the past, to be written over the present one. Status, and whatever servers and controllers
 * keep up to date, stay as they are.
 */
export function restored(former: Manifest, present: Manifest): Manifest {
  const [past, now] = [former.metadata, present.metadata]
  const [uid, resourceVersion] = [textAt(now, 'uid'), textAt(now, 'resourceVersion')]
  // Another object of the same name has fields of its own that nobody may change, such as the address of a Service.
  const { status: _status, ...fields } = textAt(past, 'uid') === uid ? former : cleaned(former)
  const object = { ...fields, ...(present.status !== undefined && { status: present.status }) } as Manifest
  return withMetadata(object, {
    uid,
    resourceVersion,
    labels: restoredTexts(past.labels, now.labels),
    annotations: restoredTexts(past.annotations, now.annotations),
    finalizers: restoredFinalizers(past.finalizers, now.finalizers),
    managedFields: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
  })
}

/**
 * Returns the field managers to restore: those of the past, with those of the status as they are now. Undefined if the object had
 * none.
 */
export function restoredManagers(former: Manifest, present: Manifest): readonly JsonValue[] | undefined {
  const managers = listOf(former.metadata.managedFields)
  if (managers.length === 0) return undefined
  const isOfStatus = (entry: JsonValue): boolean => isObject(entry) && entry.subresource === 'status'
  return [...managers.filter((entry) => !isOfStatus(entry)), ...listOf(present.metadata.managedFields).filter(isOfStatus)]
}
