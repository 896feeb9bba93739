/** What every form in which a client may have objects does. */
import type { ListFrame, StoredItem } from '../../catalog/object-codec.ts'
import type { ListMetadata } from '../list/pages.ts'

/** How a client gets the objects of a kind. All texts are JSON; a `value` is an object as it is stored. */
export interface Form {
  /** Two forms of one kind and of the same name write the same. */
  readonly name: string
  /** An object on its own. */
  readonly object: (value: string) => string
  readonly list: (metadata: ListMetadata) => ListFrame
  /** What stands where the objects would, if there are none. */
  readonly emptyList: '[]' | 'null'
  /** An object within a list: the value as it is, with something put in at its beginning, or something else. */
  readonly item: StoredItem | ((value: string) => string)
  /** The same of the bytes of a long value, of which no text is made; absent if `item` needs all of the value. */
  readonly longItem?: (value: Uint8Array) => Uint8Array
  /** The form of events behind the first, where these leave something out. */
  readonly following?: Form
  /** The form of the bookmark that ends the initial events, where it shows more than others. */
  readonly initialEventsEnd?: Form
}

/** Objects of a list with commas between them. */
export function joinedItems({ item }: Form, objects: readonly { readonly value: string }[]): string {
  const text = typeof item === 'function' ? item : (value: string) => `${item.beginning}${value.slice(1)}`
  return objects.map(({ value }) => text(value)).join(',')
}

/** The objects of a list as its JSON has them. */
export function itemsText(form: Form, objects: readonly { readonly value: string }[]): string {
  return objects.length === 0 ? form.emptyList : `[${joinedItems(form, objects)}]`
}
