/** The interface of JSON representations of objects. */
import type { ListFrame, StoredItem } from '../../catalog/object-codec.ts'
import type { ListMetadata } from '../list/pages.ts'

/** An object with its JSON. */
interface Valued {
  readonly value: string
}

/** Encodes the objects of a kind for a client. All texts are JSON. A `value` is the JSON of a stored object. */
export interface Form {
  /** The cache key: two forms of a kind with equal names write equal texts. */
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
  /** The form of watch events after the first, if it differs. */
  readonly following?: Form
  /** The form of the bookmark that ends the initial events, if it differs from that of other bookmarks. */
  readonly initialEventsEnd?: Form
}

/** Returns the items of a list, separated by commas. */
export function joinedItems({ item, sorted }: Form, objects: readonly Valued[]): string {
  const text = typeof item === 'function' ? item : (value: string) => `${item.beginning}${value.slice(1)}`
  return (sorted?.(objects) ?? objects).map(({ value }) => text(value)).join(',')
}

/** Returns the JSON of the items of a list: an array or `null`. */
export function itemsText(form: Form, objects: readonly Valued[]): string {
  return objects.length === 0 ? form.emptyList : `[${joinedItems(form, objects)}]`
}
