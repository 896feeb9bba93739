/**
 * Objects that kube-apiserver stores in another form than the usual one: with empty metadata, without defaults, with fields in another
 * order. Here that form is not stored. It is only kept in memory, to know that a later write is stored although it changes nothing.
 */
import { isEmptyObject } from '../apply/value.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { LruCache } from '../meta/lru-cache.ts'
import type { ManagedFieldsEntry } from '../meta/object-meta.ts'
import type { Store, Stored } from '../storage/store.ts'

/** Objects of one store that are kept. */
const remembered = 1_000

/**
 * How kube-apiserver stores an object: with parts that it omits when it reads it, such as empty metadata, or missing ones that it then
 * adds; or with managedFields in the order of their texts.
 */
export type StoredForm = 'with omitted parts' | 'in the order of texts'

interface Known {
  readonly resourceVersion: number
  readonly form: StoredForm
}

const known = new WeakMap<Store, LruCache<string, Known>>()

const omitted: readonly string[] = ['annotations', 'finalizers', 'generateName', 'labels', 'ownerReferences']

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0) || (isObject(value) && isEmptyObject(value))

/** Whether an object has metadata that is omitted when the object is read. */
export const hasEmptyMetadata = ({ metadata }: JsonObject): boolean =>
  isObject(metadata) && omitted.some((name) => isEmpty(metadata[name]))

/** Whether the elements are in the order of their texts, here and below. */
function isInTextOrder(set: JsonObject): boolean {
  const elements = Object.keys(set)
  const isSorted = elements.every((element, at) => at === 0 || (elements[at - 1] ?? '') < element)
  return isSorted && Object.values(set).every((below) => !isObject(below) || isInTextOrder(below))
}

/**
 * Whether managedFields are in the order of their texts. kube-apiserver stores those of an object in that order when its Scale is
 * written, and in their own order with the next write of the object.
 */
export const areInTextOrder = (entries: readonly ManagedFieldsEntry[] = []): boolean =>
  entries.every(({ fieldsV1 = {} }) => isInTextOrder(fieldsV1))

/** Returns the form in which an object is stored; undefined for the usual one. */
export function storedForm(store: Store, { key, resourceVersion }: Stored): StoredForm | undefined {
  const found = known.get(store)?.get(key)
  return found?.resourceVersion === resourceVersion ? found.form : undefined
}

/** Records the form in which an object is stored. */
export function keepForm(store: Store, { key, resourceVersion }: Stored, form: StoredForm): void {
  const ofStore = known.get(store) ?? new LruCache<string, Known>(remembered)
  known.set(store, ofStore)
  ofStore.set(key, { resourceVersion, form })
}
