/** A view of a kind's objects in JSON. */
import type { ListFrame, StoredItem } from '../catalog/object-codec.ts'

/** An object with its JSON. */
interface Valued {
  readonly value: string
}

/** ListMeta of a response, with its fields in the order in which Go encodes them. */
export interface ListMetadata {
  /** Absent if the objects are not stored. */
  readonly resourceVersion?: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

/** Shows the objects of a kind. All texts are JSON. A `value` is the JSON of a stored object. */
export interface JsonView {
  /** The cache key: two views of a kind with equal names write equal texts. */
  readonly name: string
  /** Returns the JSON of a single object. */
  readonly object: (value: string) => string
  readonly list: (metadata: ListMetadata) => ListFrame
  /** The JSON of the items of an empty list. */
  readonly emptyList: '[]' | 'null'
  /**
   * The writer of an item of a list: either a text that is inserted at the beginning of the value, or a function of the value.
   */
  readonly item: StoredItem | ((value: string) => string)
  /** Writes an item from the bytes of a long value without making a text of it. Absent if `item` needs the whole value. */
  readonly longItem?: (value: Uint8Array) => Uint8Array
  /** Returns the objects of a list in the order of its items, if it is not that of their keys. */
  readonly sorted?: <T extends Valued>(objects: readonly T[]) => readonly T[]
  /** The view of watch events after the first, if it differs. */
  readonly following?: JsonView
  /** The view of the bookmark that ends the initial events, if it differs from that of other bookmarks. */
  readonly initialEventsEnd?: JsonView
}

/** Returns the items of a list, separated by commas. */
export function joinedItems({ item, sorted }: JsonView, objects: readonly Valued[]): string {
  const text = typeof item === 'function' ? item : (value: string) => `${item.beginning}${value.slice(1)}`
  return (sorted?.(objects) ?? objects).map(({ value }) => text(value)).join(',')
}

/** Returns the JSON of the items of a list: an array or `null`. */
export function itemsText(view: JsonView, objects: readonly Valued[]): string {
  return objects.length === 0 ? view.emptyList : `[${joinedItems(view, objects)}]`
}
