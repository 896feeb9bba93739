/** Merges a configuration into a live object. Follows TypedValue.Merge of structured-merge-diff. */

import { setKey } from '../go/json.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { Type } from '../schema/type.ts'
import type { ListMapShape, SetShape, Shape } from './schema.ts'
import { fieldNamed, shapeOf } from './schema.ts'
import { areNamedAlike, itemElement } from './typed.ts'
import { equalValues, isEmptyObject, own } from './value.ts'

/**
 * Returns the live object with all fields of the configuration, whose values win. Nothing is removed. Returns the live object
 * itself if nothing changes, and shares as much as possible with both. Both must fit the type.
 */
export function merge(type: Type, live: JsonObject, configuration: JsonObject): JsonObject {
  return mergeValues(shapeOf(type), live, configuration) as JsonObject
}

/** Merges two values. Null in a configuration does not remove a list, map or struct. */
function mergeValues(shape: Shape, live: JsonValue, applied: JsonValue): JsonValue {
  if (shape.kind === 'set' || shape.kind === 'list-map') {
    if (!Array.isArray(live)) return applied
    if (Array.isArray(applied)) return mergeLists(shape, live, applied)
    return live.length > 0 ? live : applied
  }
  if (shape.kind !== 'leaf' && isObject(live)) {
    if (isObject(applied)) return mergeObjects(shape, live, applied)
    if (applied === null && !isEmptyObject(live)) return live
  }
  return equalValues(live, applied) ? live : applied
}

function mergeObjects(shape: Exclude<Shape, SetShape | ListMapShape>, live: JsonObject, applied: JsonObject): JsonObject {
  let merged = live
  for (const key in applied) {
    const value = applied[key] ?? null
    const before = own(live, key)
    const after = before === undefined ? value : mergeValues(shapeAt(shape, key), before, value)
    if (after === before) continue
    if (merged === live) merged = { ...live }
    setKey(merged, key, after)
  }
  return merged
}

const LEAF: Shape = { kind: 'leaf', atomic: false }

function shapeAt(shape: Exclude<Shape, SetShape | ListMapShape>, key: string): Shape {
  if (shape.kind === 'struct') return fieldNamed(shape, key)?.shape ?? LEAF
  return shape.kind === 'map' ? shape.value : shape
}

function mergeLists(shape: SetShape | ListMapShape, live: JsonValue[], applied: JsonValue[]): JsonValue[] {
  if (applied.length === 0) return live
  if (live.length === 0) return applied
  if (live.length === applied.length && live.every((item, i) => areNamedAlike(shape, item, applied[i] ?? null))) {
    return mergeInPlace(shape.item, live, applied)
  }
  const merged = new ListMerge(shape, live, applied).run()
  return merged.length === live.length && merged.every((item, i) => item === live[i]) ? live : merged
}

/** The fast path for the most frequent case: the same items in the same order. */
function mergeInPlace(shape: Shape, live: JsonValue[], applied: readonly JsonValue[]): JsonValue[] {
  let merged = live
  live.forEach((item, i) => {
    const after = mergeValues(shape, item, applied[i] ?? null)
    if (after === item) return
    if (merged === live) merged = [...live]
    merged[i] = after
  })
  return merged
}

/** Items and their path elements, in the order of the list. */
interface Items {
  readonly values: readonly JsonValue[]
  readonly elements: readonly string[]
}

/**
 * Merges two lists: the configuration's items in its order; items of the live list alone keep their position relative to the
 * common items. Duplicates in the live list are replaced by the configuration's item.
 */
class ListMerge {
  private readonly shape: SetShape | ListMapShape
  private readonly live: Items
  private readonly applied: Items
  private readonly liveByElement = new Map<string, JsonValue>()
  private readonly inApplied: ReadonlySet<string>
  /** The next common item for each of the configuration's items: the first from there on that is also in the live list. */
  private readonly shared: (string | undefined)[] = []
  private readonly taken = new Set<string>()
  private readonly merged: JsonValue[] = []
  private next = 0

  constructor(shape: SetShape | ListMapShape, live: readonly JsonValue[], applied: readonly JsonValue[]) {
    const itemsOf = (values: readonly JsonValue[]): Items => ({ values, elements: values.map((v) => itemElement(shape, v)) })
    this.shape = shape
    this.live = itemsOf(live)
    this.applied = itemsOf(applied)
    this.inApplied = new Set(this.applied.elements)
    this.live.elements.forEach((element, i) => {
      this.liveByElement.set(element, this.liveByElement.has(element) ? null : (live[i] ?? null))
    })
    for (let i = applied.length - 1; i >= 0; i--) {
      const element = this.applied.elements[i] ?? ''
      this.shared[i] = this.liveByElement.has(element) ? element : this.shared[i + 1]
    }
  }

  run(): JsonValue[] {
    const { elements, values } = this.live
    let at = 0
    while (at < elements.length || this.next < this.applied.elements.length) {
      const element = elements[at]
      if (element === undefined) this.take()
      else if (!this.inApplied.has(element)) this.merged.push(values[at++] ?? null)
      else if (element === this.applied.elements[this.next]) {
        this.take()
        at++
      } else if (this.isForAnother(element)) at++
      else {
        if (this.taken.has(element)) at++
        this.take()
      }
    }
    return this.merged
  }

  /** Whether this item is common to both lists but not the next common one, so that it comes later. */
  private isForAnother(element: string): boolean {
    const nextShared = this.shared[this.next]
    return nextShared !== undefined && nextShared !== element
  }

  private take(): void {
    const element = this.applied.elements[this.next]
    const item = this.applied.values[this.next++]
    if (element === undefined || item === undefined) return
    this.taken.add(element)
    const live = this.liveByElement.get(element)
    this.merged.push(live === undefined ? item : mergeValues(this.shape.item, live, item))
  }
}
